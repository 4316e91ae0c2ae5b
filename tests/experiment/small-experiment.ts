import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';

const demo = fileURLToPath(new URL('../../demo/', import.meta.url));

/** The files of a small experiment, to be changed one by one. */
export interface SmallExperiment {
  readonly file: string;
  readonly queries: string;
  readonly qrels: string;
  readonly corpus: string;
  readonly models: Readonly<Record<'T' | 'S', string>>;
  /** Writes the YAML with other settings. */
  write(settings: Record<string, unknown>): void;
}

/** Twelve queries of the demo collection, its documents, and two folders that stand for models. */
export function smallExperiment(folder: string, settings: Record<string, unknown> = {}): SmallExperiment {
  const collection = join(folder, 'collection');
  mkdirSync(collection, { recursive: true });
  const queries = demoLines('queries.jsonl').slice(0, 12);
  const ids = new Set(queries.map((line) => (JSON.parse(line) as { _id: string })._id));
  const paths = {
    file: join(folder, 'small.yaml'),
    queries: join(collection, 'queries.jsonl'),
    qrels: join(collection, 'qrels.txt'),
    corpus: join(collection, 'corpus.jsonl'),
    models: { T: join(folder, 'models', 't'), S: join(folder, 'models', 's') },
  };
  writeFileSync(paths.queries, `${queries.join('\n')}\n`);
  writeFileSync(
    paths.qrels,
    `${demoLines('qrels.txt')
      .filter((line) => ids.has(line.split(/\s+/)[0]))
      .join('\n')}\n`,
  );
  writeFileSync(paths.corpus, `${demoLines('corpus.jsonl').join('\n')}\n`);
  for (const [size, path] of Object.entries(paths.models)) {
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'config.json'), JSON.stringify({ size }));
  }
  const write = (changed: Record<string, unknown>): void =>
    writeFileSync(paths.file, stringify({ ...defaults, ...changed }));
  write(settings);
  return { ...paths, write };
}

function demoLines(name: string): string[] {
  return readFileSync(join(demo, name), 'utf8').trimEnd().split('\n');
}

const defaults = {
  name: 'small',
  collection: { documents: 'collection' },
  folds: { roundRobin: 3 },
  retrieve: 50,
  depth: 15,
  models: { T: './models/t', S: './models/s' },
  method: { kd: 3, kc: 4 },
  variants: ['TTT', 'STT'],
  baselines: ['DPH', 'DPH+KL', 'BM25+RM3', 'MaxP'],
  ablations: { of: 'TTT' },
  grid: { of: 'TTT', kc: [2, 6], chunkWords: [5, 10] },
  measures: ['P@5', 'nDCG@20', 'AP@100'],
};
