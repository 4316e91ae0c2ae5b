import { validationMeasure } from '../../training/index.js';
import type { TrainedFold } from '../train-folds.js';
import { noValue, type Cell, type Row, type Table } from './table.js';

/** What every fold's models learned from, and what that was worth on its validation queries. */
export function trainingTable(trained: readonly TrainedFold[]): Table {
  const sizes = [...new Set(trained.map(({ size }) => size))];
  return {
    id: 'training',
    title: 'Fine-tuning',
    columns: ['Model', 'Queries', 'Relevant', 'Others', 'Steps', 'Before', 'Best', 'After step'],
    groups: sizes.map((size) => trained.filter((one) => one.size === size).map(rowOf)),
    notes: [
      `Before and best: ${validationMeasure} of the fold's validation queries, ranked by rel(q,d) alone, which decides ` +
        'which weights are kept. After step 0 stands for the weights that training started from.',
    ],
  };
}

function number(value: number): Cell {
  return { text: value.toLocaleString('en-US'), value };
}

function measured(value: number | undefined): Cell {
  return value === undefined ? noValue : { text: value.toFixed(4), value };
}

function rowOf({ size, fold, examples, steps, best, history }: TrainedFold): Row {
  return {
    label: `${size}, fold ${fold}`,
    cells: [
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
