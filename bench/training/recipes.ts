import { join, resolve } from 'node:path';
import type { SizeLetter } from '../../src/bert/index.js';
import type { TrainingFields } from '../../src/experiment/file/schema.js';

/** Collections as an experiment file names them. */
export const collections: Readonly<Record<string, string>> = {
  cranfield: `documents: \${BERT_QE_COLLECTIONS}/cranfield
initial: DPH+KL
depth: 30`,
  'scifact-train': `documents: \${BERT_QE_COLLECTIONS}/scifact
  qrels: \${BERT_QE_COLLECTIONS}/scifact/qrels.train.txt
initial: BM25
depth: 20`,
};

/** The models to start from, by size: those of the package (`shipped`), or a folder that holds `tiny` and `small`. */
export function modelsOf(name: string): Partial<Record<SizeLetter, string>> {
  const folder = name === 'shipped' ? resolve(import.meta.dirname, '../../models') : resolve(name);
  return { T: join(folder, 'tiny'), S: join(folder, 'small') };
}

/** A way to fine-tune: settings of which every fold takes its best, and how tables call the result. */
export interface Recipe {
  readonly name: string;
  readonly settings: readonly TrainingFields[];
}

/** One relevant document against seven others of its query. 320 tokens cut nothing of Cranfield, and one passage in 700 of SciFact. */
const groups: TrainingFields = {
  loss: 'listwise',
  groupSize: 8,
  depth: 100,
  negatives: 7,
  maxLength: 320,
};
const tiny: TrainingFields = { ...groups, steps: 120, validateEvery: 40, learningRate: 5e-5 };
const small: TrainingFields = { ...groups, steps: 60, validateEvery: 20, learningRate: 5e-5 };

/** By recipe, then by size: training on the judgements alone, example by example or in groups, or with a teacher. */
export const recipes: Readonly<Record<string, Partial<Record<SizeLetter, Recipe>>>> = {
  pointwise: {
    T: {
      name: 'fine-tuned, pointwise',
      settings: [
        { epochs: 1, depth: 200, negatives: 4, learningRate: 2e-5, maxLength: 256, validateEvery: 40 },
      ],
    },
  },
  judged: {
    T: { name: 'fine-tuned', settings: [tiny] },
    S: { name: 'fine-tuned', settings: [small] },
  },
  taught: {
    T: { name: 'fine-tuned with S as teacher', settings: [{ ...tiny, teacherWeight: 0.5 }] },
    S: { name: 'fine-tuned with S as teacher', settings: [{ ...small, teacherWeight: 0.5 }] },
  },
  distilled: {
    S: {
      name: 'fine-tuned, mostly towards its teacher S',
      settings: [{ ...small, steps: 120, validateEvery: 40, depth: 20, teacherWeight: 0.9 }],
    },
  },
  undropped: {
    S: {
      name: 'fine-tuned with S as teacher, without dropout',
      settings: [{ ...small, steps: 80, validateEvery: 40, depth: 30, teacherWeight: 0.5, dropout: 0 }],
    },
  },
};
