import { validationMeasure } from '../../training/index.js';
import type { Results } from '../results.js';
import type { TrainedFold } from '../train-folds.js';
import { fixedCombination } from '../training-targets.js';
import { plainCell } from './values.js';
import { noValue, type Cell, type Row, type Table } from '../../common/table/table.js';

/** The training examples of every fold's models, with the validation results before and after. */
export function trainingTable(
  { experiment }: Pick<Results, 'experiment'>,
  trained: readonly TrainedFold[],
): Table {
  const targets = [...new Set(trained.map(({ target }) => target))];
  const onChunks = typeof experiment.training === 'object' && experiment.training.on === 'chunks';
  const pairs = onChunks ? 'chunk, passage' : 'query, passage';
  return {
    id: 'training',
    title: onChunks ? 'Fine-tuning of phase three, on chunks' : 'Fine-tuning',
    columns: ['Model', 'Pairs', 'Queries', 'Relevant', 'Others', 'Steps', 'Before', 'Best', 'After step'],
    groups: targets.map((target) =>
      trained.filter((one) => one.target === target).map((one) => rowOf(one, pairs)),
    ),
    notes: [
      ...(onChunks
        ? ['A pair is relevant where its document is relevant to the query that the chunk was chosen for.']
        : []),
      `Before and best: ${validationMeasure} of the fold's validation queries, ranked by ` +
        `${onChunks ? rankedByChunks(experiment.tuning) : 'rel(q,d) alone'}, which decides ` +
        'which weights are kept. After step 0 stands for the weights that training started from.',
    ],
  };
}

function rankedByChunks(tuning: Results['experiment']['tuning']): string {
  const combination = fixedCombination(tuning);
  return combination
    ? `the final score with α = ${combination.alpha} and β = ${combination.beta}`
    : 'rel(C,d) alone';
}

function number(value: number): Cell {
  return { text: value.toLocaleString('en-US'), value };
}

function measured(value: number | undefined): Cell {
  return value === undefined ? noValue : { text: value.toFixed(4), value };
}

function rowOf({ target, fold, examples, steps, best, history }: TrainedFold, pairs: string): Row {
  return {
    label: `${target}, fold ${fold}`,
    cells: [
      plainCell(pairs),
      number(examples.queries),
      number(examples.relevant),
      number(examples.others),
      number(steps),
      measured(history.validations.find(({ step }) => step === 0)?.value),
      measured(best?.value),
      best ? number(best.step) : noValue,
    ],
  };
}
