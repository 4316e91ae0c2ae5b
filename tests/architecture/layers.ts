/**
 * The folders of src, from the ground up. A folder imports from the layers before its own, never from its own layer or
 * a later one. docs/design.md tells what each folder holds.
 */
export const layers: readonly (readonly string[])[] = [
  ['common'],
  ['collection', 'bert'],
  ['retrieval'],
  ['expansion', 'evaluation'],
  ['remote', 'browser'],
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
  { index: 'bert/core.ts', from: 'browser', why: 'the part that needs no Node' },
  { index: 'expansion/core.ts', from: 'browser', why: 'the part that needs no Node' },
  { index: 'expansion/core.ts', from: 'server', why: 'answers that the page makes without a server' },
  { index: 'retrieval/core.ts', from: 'browser', why: 'the part that needs no Node' },
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
  'bert/core.ts',
  'bert/graph/packed-graph.ts',
  'browser/index.ts',
  'browser/worker.ts',
  'expansion/core.ts',
  'retrieval/core.ts',
  'server/search/answer.ts',
];

/**
 * Files of src that the page in web/ imports. It does not import index.ts, whose folder needs Node; these files
 * do not.
 */
export const pageImports: readonly string[] = [
  'browser/index.ts',
  'collection/csv-records.ts',
  'collection/fields.ts',
  'common/order.ts',
  'evaluation/evaluate.ts',
  'expansion/core.ts',
  'expansion/equations.ts',
  'expansion/windows.ts',
  'retrieval/analysis/porter.ts',
  'retrieval/analysis/stopwords/terrier.ts',
  'server/api.ts',
  'server/catalogue/collection.ts',
  'server/search/answer.ts',
  'server/search/throttle.ts',
];
