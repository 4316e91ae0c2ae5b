import { usageError } from '../../common/errors.js';
import {
  planStudy,
  runStudy,
  type Estimate,
  type ExperimentPlan,
  type ExperimentProgress,
} from '../../experiment/index.js';
import { defineCommand, type Io } from '../command.js';
import { counted, formatCount, formatDuration, tableText } from '../format.js';
import { flag, text } from '../options.js';
import { StatusLine } from '../progress.js';

export const experimentCommand = defineCommand({
  name: 'experiment',
  summary:
    'Run a whole study from one YAML file: folds, variants, ablations, kc/m grid → runs, tables, figures.',
  positionals: [{ name: 'FILE', help: 'the experiment, YAML; docs/experiments.md describes it' }],
  options: {
    out: text('DIR', 'folder of the results; a later start goes on with what is there (results/NAME)'),
    'dry-run': flag(
      'only check the file, its inputs and models, and tell what it will cost; nothing is written',
    ),
    fleet: text(
      'REDIS',
      'score on the workers (bert-qe fleet work) that meet at redis://HOST:PORT and have the models at the same paths',
    ),
  },
  examples: [
    'bert-qe experiment experiments/cranfield.yaml',
    'bert-qe experiment experiments/robust04.yaml --dry-run',
    'bert-qe experiment experiments/robust04.yaml --out /data/robust04-results',
  ],
  async run({ options, positionals: [file], io }) {
    if (options.dryRun) {
      if (options.out !== undefined || options.fleet !== undefined) {
        throw usageError('--dry-run writes nothing: leave --out and --fleet out.');
      }
      const plans = await planStudy(file);
      io.stdout.write([...plans].map(([name, plan]) => describePlan(name, plan)).join('\n'));
      return;
    }
    const started = performance.now();
    const reporter = new StepReporter(io);
    const { ran, report } = await runStudy(file, {
      out: options.out,
      fleet: options.fleet,
      signal: io.signal,
      onEstimate: (name, estimate) => io.stderr.write(`${describeEstimate(name, estimate)}\n`),
      onProgress: (progress) => reporter.update(progress),
    }).finally(() => reporter.done());
    const seconds = (performance.now() - started) / 1000;
    const what = ran.length === 0 ? 'nothing was missing' : `${formatCount(ran.length)} steps ran`;
    io.stderr.write(`bert-qe: ${what}, ${formatDuration(seconds)}\n`);
    io.stdout.write(`${report}\n`);
  },
});

/** Reports the steps of an experiment: a status line on a terminal, and a line per step when it ends. */
class StepReporter {
  #last: ExperimentProgress | undefined;
  #stepStarted = 0;
  /** The first state of a collection's model work that was reported; the time left follows from the work since. */
  #work: { readonly at: number; readonly share: number } | undefined;
  readonly #line: StatusLine;

  constructor(private readonly io: Io) {
    this.#line = new StatusLine(io);
  }

  update(progress: ExperimentProgress): void {
    const now = performance.now();
    if (progress.step !== this.#last?.step) {
      this.#endStep();
      this.#stepStarted = now;
    }
    const { step, done, total, share } = progress;
    // Each collection begins anew.
    if (share !== undefined && !(share >= (this.#last?.share ?? Infinity))) this.#work = { at: now, share };
    this.#last = progress;
    this.#line.show(() => {
      const count = total === undefined ? formatCount(done) : `${formatCount(done)} of ${formatCount(total)}`;
      return `${step}: ${count}${this.#timeLeft(progress, now)}`;
    });
  }

  done(): void {
    this.#endStep();
  }

  #endStep(): void {
    if (!this.#last) return;
    const { step, done, total } = this.#last;
    const now = performance.now();
    const stopped = total !== undefined && done < total ? `, stopped after ${done} of ${total}` : '';
    this.#line.clear();
    const seconds = formatDuration((now - this.#stepStarted) / 1000);
    this.io.stderr.write(`${step}: ${seconds}${stopped}${this.#timeLeft(this.#last, now)}\n`);
    this.#last = undefined;
  }

  #timeLeft({ share }: ExperimentProgress, now: number): string {
    if (share === undefined || !this.#work || share <= this.#work.share) return '';
    const left = ((now - this.#work.at) * (1 - share)) / (share - this.#work.share) / 1000;
    return ` · ${Math.floor(100 * share)}% of the model work${left >= 1 ? `, ${formatDuration(left)} left` : ''}`;
  }
}

/** The plan and the cost of an experiment as text. */
function describePlan(
  name: string,
  { systems, queries, folds, experiment, estimate }: ExperimentPlan,
): string {
  const { initial, baselines, variants, ablations, grid } = systems;
  const parts = [
    counted(variants.length, 'variant'),
    counted(baselines.length, 'baseline'),
    ...(ablations ? [counted(ablations.systems.length, 'ablation')] : []),
    ...(grid ? [counted(grid.points.length, 'grid point')] : []),
  ];
  const rows = estimate.work.map(({ size, phase, pairs, flops, seconds }) => [
    `${size}, ${phase}`,
    formatCount(pairs),
    petaflops(flops),
    seconds === undefined ? '' : formatDuration(seconds),
  ]);
  const total = totalOf(estimate);
  const names = baselines.filter((system) => 'control' in system).map((system) => system.name);
  const controls = names.length > 0 ? ` ${names.join(' and ')} come on top.` : '';
  return [
    `${name}: ${counted(queries, 'query')} in ${counted(folds, 'fold')}, the first ${experiment.depth} of ${initial.name}; ${parts.join(', ')}\n`,
    tableText(
      [
        ['model', 'pairs', 'PFLOP', 'on one H200'],
        ...rows,
        ['all', formatCount(total.pairs), petaflops(total.flops), formatDuration(total.seconds)],
      ],
      { align: 'right' },
    ),
    `Disk: ${diskOf(estimate)}.\n`,
    `Estimated from ${counted(estimate.sampled, 'document')} with ${estimate.passagesPerDocument.toFixed(1)} passages each; ` +
      'those that are retrieved are often longer. Times are of one NVIDIA H200 in fp16, at the rates of ' +
      `docs/benchmarks-scoring.md (M interpolated); training was not measured there.${controls}\n`,
  ].join('');
}

/** The cost of an experiment in one line. */
function describeEstimate(name: string, estimate: Estimate): string {
  const { pairs, flops, seconds } = totalOf(estimate);
  return (
    `${name}: about ${formatCount(pairs)} pairs, ${petaflops(flops)} PFLOP (${formatDuration(seconds)} of one NVIDIA H200 ` +
    `in fp16${estimate.work.some((one) => one.seconds === undefined) ? ', without training' : ''}); disk: ${diskOf(estimate)}`
  );
}

function totalOf({ work }: Estimate): { pairs: number; flops: number; seconds: number } {
  const sum = (of: (one: Estimate['work'][number]) => number): number =>
    work.reduce((total, one) => total + of(one), 0);
  return {
    pairs: sum(({ pairs }) => pairs),
    flops: sum(({ flops }) => flops),
    seconds: sum(({ seconds = 0 }) => seconds),
  };
}

function diskOf({ scoreBytes, indexBytes, modelBytes }: Estimate): string {
  const parts = [
    `scores ${size(scoreBytes)}`,
    indexBytes === undefined ? 'indexes unknown without collection.count' : `indexes ${size(indexBytes)}`,
    ...(modelBytes > 0 ? [`models made ${size(modelBytes)}`] : []),
  ];
  return parts.join(', ');
}

function petaflops(flops: number): string {
  return significant(flops / 1e15);
}

function size(bytes: number): string {
  return bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${significant(bytes / 1e9)} GB`;
}

function significant(value: number): string {
  return value >= 100 ? formatCount(value) : value >= 1 ? value.toFixed(1) : value.toPrecision(2);
}
