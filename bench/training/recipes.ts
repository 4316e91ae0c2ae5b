import type { SizeLetter } from '../../src/bert/index.js';
import type { TrainingFields } from '../../src/experiment/file/schema.js';

/** Collections as the experiment file names them; paths start from this folder. */
export const collections: Readonly<Record<string, string>> = {
  cranfield: `documents: ../../../shared/data/collections/cranfield
initial: DPH+KL
depth: 30`,
  'scifact-train': `documents: ../../../shared/data/collections/scifact
  qrels: ../../../shared/data/collections/scifact/qrels.train.txt
initial: BM25
depth: 20`,
};

/** Models to start from, by size. */
export const modelSets: Readonly<Record<string, Partial<Record<SizeLetter, string>>>> = {
  base: { T: '../../../shared/models/tiny', S: '../../../shared/models/small' },
  shipped: { T: '../../models/tiny', S: '../../models/small' },
};

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

/** By what is learned from, then by size: the judgements alone, example by example or in groups, or with a teacher. */
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
  // The base models were trained without dropout; with it, fine-tuning may first have to learn to live with the noise.
  undropped: {
    S: {
      name: 'fine-tuned with S as teacher, without dropout',
      settings: [{ ...small, steps: 80, validateEvery: 40, depth: 30, teacherWeight: 0.5, dropout: 0 }],
    },
  },
};
