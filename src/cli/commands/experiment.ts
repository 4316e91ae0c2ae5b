import { join } from 'node:path';
import { readExperiment, runExperiment, type ExperimentProgress } from '../../experiment/index.js';
import { defineCommand, type Io } from '../command.js';
import { formatCount, formatDuration, Progress } from '../progress.js';

export const experimentCommand = defineCommand({
  name: 'experiment',
  summary:
    'Run a whole study from one YAML file: folds, variants, ablations, kc/m grid → runs, tables, figures.',
  positionals: [{ name: 'FILE', help: 'the experiment, YAML; docs/experiments.md describes it' }],
  options: {
    out: {
      type: 'string',
      value: 'DIR',
      help: 'folder of the results; a later start goes on with what is there (results/NAME)',
    },
  },
  examples: [
    'bert-qe experiment experiments/cranfield.yaml',
    'bert-qe experiment experiments/robust04.yaml --out /data/robust04-results',
  ],
  async run({ options, positionals: [file], io }) {
    const out = options.out ?? join('results', (await readExperiment(file)).name);
    const started = performance.now();
    const reporter = new Reporter(io);
    const { ran, report } = await runExperiment(file, {
      out,
      signal: io.signal,
      onProgress: (progress) => reporter.update(progress),
    }).finally(() => reporter.done());
    const seconds = (performance.now() - started) / 1000;
    const what = ran.length === 0 ? 'nothing was missing' : `${formatCount(ran.length)} steps ran`;
    io.stderr.write(`bert-qe: ${what}, ${formatDuration(seconds)}\n`);
    io.stdout.write(`${report}\n`);
  },
});

/** A line that moves where there is a terminal; elsewhere a line per step, when it ends. */
class Reporter {
  #step = '';
  #started = performance.now();
  #last: ExperimentProgress | undefined;
  /** Starts with the model work, so that its rate gives the time left. */
  #progress: Progress | undefined;

  constructor(private readonly io: Io) {}

  update(progress: ExperimentProgress): void {
    if (progress.step !== this.#step) {
      this.#endStep();
      this.#step = progress.step;
      this.#started = performance.now();
    }
    this.#last = progress;
    const { step, done, total, share } = progress;
    this.#progress ??= new Progress(this.io, '');
    const count = total === undefined ? formatCount(done) : `${formatCount(done)} of ${formatCount(total)}`;
    this.#progress.update(done, share, `${step}: ${count}`);
  }

  done(): void {
    this.#endStep();
    this.#progress?.done();
  }

  #endStep(): void {
    if (!this.#last) return;
    const { done, total } = this.#last;
    const seconds = (performance.now() - this.#started) / 1000;
    this.#progress?.done();
    const interrupted = total !== undefined && done < total ? ` (stopped after ${done} of ${total})` : '';
    this.io.stderr.write(`${this.#step}: ${formatDuration(seconds)}${interrupted}\n`);
    this.#last = undefined;
  }
}
