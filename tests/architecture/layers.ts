/**
 * The folders of src, from the ground up. A folder imports from the layers before its own, never from its own layer or
 * a later one. docs/design.md tells what each folder holds.
 */
export const layers: readonly (readonly string[])[] = [
  ['common'],
  ['collection', 'bert'],
  ['retrieval'],
  ['expansion', 'evaluation'],
  ['remote'],
  ['runs'],
  ['training'],
  ['controls'],
  ['experiment'],
  ['server', 'adapters'],
  ['cli'],
];

/** Imports that the layers would allow, but that are not wanted. */
export const forbidden: readonly { readonly from: string; readonly to: string; readonly why: string }[] = [
  { from: 'evaluation', to: 'bert', why: 'measures know nothing of models' },
];

/** Folders without an index.ts: every file of them may be imported. */
export const open: readonly string[] = ['common'];

/** `index.ts` files of inner folders that other folders may use too. */
export const innerIndexes: readonly {
  readonly index: string;
  readonly from: string;
  readonly why: string;
}[] = [
  { index: 'bert/onnx/index.ts', from: 'training', why: 'writes graphs with the same nodes' },
  { index: 'bert/checkpoint/index.ts', from: 'training', why: 'reads and writes weights' },
  { index: 'bert/sizes.ts', from: 'expansion', why: 'names of sizes, for the core: without Node' },
  { index: 'bert/runtime/index.ts', from: 'training', why: 'runs its sessions in the same workers' },
  { index: 'bert/onnx/index.ts', from: 'controls', why: 'writes graphs with the same nodes' },
  { index: 'bert/checkpoint/index.ts', from: 'controls', why: 'starts from the weights of a model' },
  { index: 'training/network/index.ts', from: 'controls', why: 'trains networks of its own' },
];

/**
 * The core: files that run outside Node too, with all that they import. Type imports do not count. Named are the files
 * from which the rest of the core is reached.
 */
export const core: readonly string[] = [
  'bert/checkpoint/random-access.ts',
  'bert/checkpoint/safetensors.ts',
  'bert/checkpoint/weights.ts',
  'bert/config.ts',
  'bert/cost.ts',
  'bert/graph/bert-graph.ts',
  'bert/graph/packed-graph.ts',
  'bert/onnx/model-bytes.ts',
  'bert/scorer/device-profiles.ts',
  'bert/scorer/feeds.ts',
  'bert/scorer/in-flight.ts',
  'bert/scorer/piece-cache.ts',
  'bert/scorer/plan.ts',
  'bert/scorer/probabilities.ts',
  'bert/tokenizer/from-files.ts',
  'expansion/choose-models.ts',
  'expansion/cost.ts',
  'expansion/explanation.ts',
  'expansion/final-scores.ts',
  'expansion/method.ts',
  'expansion/models.ts',
  'expansion/result.ts',
  'expansion/schedule/index.ts',
  'retrieval/analysis/analyzer.ts',
  'retrieval/feedback/divergence.ts',
  'retrieval/feedback/rm3.ts',
  'retrieval/models/index.ts',
  'retrieval/search/matching.ts',
];

/**
 * Files of src that the page in web/ imports. It does not import index.ts, whose folder needs Node; these files
 * do not.
 */
export const pageImports: readonly string[] = [
  'common/order.ts',
  'evaluation/evaluate.ts',
  'expansion/equations.ts',
  'expansion/windows.ts',
  'retrieval/analysis/porter.ts',
  'retrieval/analysis/stopwords/terrier.ts',
  'server/api.ts',
];
