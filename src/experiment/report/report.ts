import type { Table } from '../../common/table/table.js';
import type { TrainingFields } from '../file/schema.js';
import type { Results } from '../results.js';

/** A figure of the report; `after` is the id of the table before it. */
export interface Figure {
  readonly id: string;
  readonly after: string;
  readonly title: string;
  readonly svg: string;
}

/** The content of a report, independent of its format. */
export interface Report {
  readonly title: string;
  readonly settings: readonly (readonly [name: string, value: string])[];
  readonly tables: readonly Table[];
  readonly figures: readonly Figure[];
}

export function reportSettings({
  experiment,
  collection,
}: Results): (readonly [name: string, value: string])[] {
  const { initial, depth, retrieve, method, tuning, models, index, training } = experiment;
  const ranking =
    typeof initial === 'string' ? `${initial}, top ${retrieve}` : `${initial.name}, a given run`;
  const names = Object.entries(models).map(
    ([size, paths]) =>
      `${size} = ${typeof paths === 'string' ? paths : `${paths.general}, fine-tuned ${paths.fineTuned}`}`,
  );
  return [
    [
      'Collection',
      `${collection.documents.toLocaleString('en-US')} documents, ${collection.queries} test queries`,
    ],
    ['Initial ranking', `${ranking}; the first ${depth} are re-ranked`],
    [
      'Text analysis',
      index.analyzer === 'auto' ? "Terrier's for DPH, Anserini's for BM25 and QL" : index.analyzer,
    ],
    [
      'Method',
      `kd = ${method.kd}, kc = ${method.kc}, m = ${method.chunkWords} words; passages of ${method.passageWords} words`,
    ],
    [
      'Cross-validation',
      `${collection.folds} folds; α and β ${tuning.mode === 'joint' ? 'jointly' : 'in turn'} by ${tuning.measure} ` +
        `on the validation queries, ties by ${tuning.tieBreak}`,
    ],
    ...(names.length > 0 ? [['Models', names.join('; ')] as const] : []),
    ...(typeof training === 'object' ? [['Training', describeTraining(training)] as const] : []),
  ];
}

function describeTraining({ on, ...training }: TrainingFields): string {
  const given = Object.entries(training).map(([name, value]) => `${name} ${value}`);
  const what = on === 'chunks' ? ', phase three on chunks' : '';
  return `in every fold${what}${given.length > 0 ? `: ${given.join(', ')}` : ', as published'}`;
}
