import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bertTensorShapes, writeSafetensors } from '../../src/bert/checkpoint/index.js';
import { formatModelConfig, type ModelConfig } from '../../src/bert/config.js';
import type { Document, DocumentStore, Qrels, Query, Ranking, Run } from '../../src/collection/index.js';
import { Random } from '../../src/training/random.js';

/** Synonym matching: a query names a thing, and the relevant document names the same thing by its other name. */
const things = 8;
const fillers = 24;
const names = Array.from({ length: things }, (_, i) => `thing${letters(i)}`);
const synonyms = Array.from({ length: things }, (_, i) => `other${letters(i)}`);
const filling = Array.from({ length: fillers }, (_, i) => `filler${letters(i)}`);

function letters(i: number): string {
  return String.fromCharCode(97 + Math.floor(i / 26), 97 + (i % 26));
}

const vocabulary = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', ...names, ...synonyms, ...filling];
export const toyVocabulary: readonly string[] = vocabulary;

/** The two names of each thing. */
export const toyNames = names.map((name, i) => [name, synonyms[i]] as const);

export const toyConfig: ModelConfig = {
  modelType: 'bert',
  layers: 2,
  hidden: 64,
  heads: 2,
  intermediate: 128,
  labels: 2,
  activation: 'gelu',
  vocabulary: vocabulary.length,
  maxPositions: 32,
  typeVocabulary: 2,
  layerNormEps: 1e-12,
};

/** A model folder as pre-training leaves it, an encoder with random weights and no head, or one with a head. */
export async function toyModel(folder: string, head: 'none' | 'classifier' = 'none'): Promise<string> {
  const config = toyConfig;
  mkdirSync(folder, { recursive: true });
  const tensors = [...bertTensorShapes(config, head)].map(([name, shape]) => {
    const random = new Random('toy', name);
    const count = shape.reduce((product, dim) => product * dim, 1);
    const value = (): number =>
      name.endsWith('LayerNorm.weight') ? 1 : name.endsWith('bias') ? 0 : (random.unit() - 0.5) * 0.43;
    return {
      name: name.startsWith('classifier') ? name : `bert.${name}`,
      shape,
      values: Float32Array.from({ length: count }, value),
    };
  });
  await writeSafetensors(join(folder, 'model.safetensors'), tensors);
  writeFileSync(join(folder, 'vocab.txt'), `${vocabulary.join('\n')}\n`);
  writeFileSync(join(folder, 'config.json'), formatModelConfig(config));
  return folder;
}

export interface ToyCollection {
  readonly queries: readonly Query[];
  readonly qrels: Qrels;
  readonly run: Run;
  readonly documents: DocumentStore;
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * So many queries, each with `candidates` documents of its own, a quarter of them relevant. A quarter of all
 * combinations of query, document and filler occur in collections that are `held` out only, and in no others.
 */
export function toyCollection(seed: string, count: number, candidates = 8, held = false): ToyCollection {
  const random = new Random('toy', seed);
  const texts = new Map<string, string>();
  const queries: Query[] = [];
  const qrels = new Map<string, Map<string, number>>();
  const run = new Map<string, Ranking>();
  const textFor = (thing: number, named: number): string => {
    for (;;) {
      const filler = random.below(fillers);
      if ((new Random('held', thing, named, filler).below(4) === 0) === held) {
        return random.shuffle([synonyms[named], filling[filler]]).join(' ');
      }
    }
  };
  for (let q = 0; q < count; q++) {
    const thing = random.below(things);
    const id = `${seed}${q}`;
    queries.push({ id, text: names[thing] });
    const judged = new Map<string, number>();
    const ranking = Array.from({ length: candidates }, (_, d) => {
      const relevant = d % 4 === 0;
      const other = (thing + 1 + random.below(things - 1)) % things;
      const document = `${id}-${d}`;
      texts.set(document, textFor(thing, relevant ? thing : other));
      if (relevant) judged.set(document, 1);
      return { id: document, score: random.unit() };
    });
    qrels.set(id, judged);
    run.set(
      id,
      ranking.toSorted((a, b) => b.score - a.score),
    );
  }
  return { queries, qrels, run, documents: storeOf(texts), texts };
}

/** Two collections as one. */
export function merged(a: ToyCollection, b: ToyCollection): ToyCollection {
  const texts = new Map([...a.texts, ...b.texts]);
  return {
    queries: [...a.queries, ...b.queries],
    qrels: new Map([...a.qrels, ...b.qrels]),
    run: new Map([...a.run, ...b.run]),
    texts,
    documents: storeOf(texts),
  };
}

function storeOf(texts: ReadonlyMap<string, string>): DocumentStore {
  return {
    get: async (ids) =>
      new Map(ids.map((one): [string, Document] => [one, { id: one, text: texts.get(one)! }])),
  };
}
