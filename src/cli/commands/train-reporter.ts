import { type TrainProgress, validationMeasure } from '../../training/index.js';
import type { Io } from '../command.js';
import { formatCount, formatDuration } from '../progress.js';

/** Where stderr is no terminal, a line is written each time so much of the training is done. */
const share = 0.1;

/** Back to the start of the line, and nothing to the right of it. */
const clearLine = '\r\u001B[K';

/** Tells how far a training is: a line that moves on a terminal, a line now and then elsewhere. */
export class TrainReporter {
  #shown = 0;
  #told = 0;
  #isOpen = false;

  constructor(private readonly io: Io) {}

  update(progress: TrainProgress): void {
    const now = performance.now();
    const text = describe(progress);
    if (this.io.stderr.isTTY) {
      if (now - this.#shown < 100) return;
      this.#shown = now;
      this.#isOpen = true;
      this.io.stderr.write(`${clearLine}${text}`);
    } else if (progress.phase === 'training') {
      const done = progress.step / progress.steps;
      if (done < this.#told + share && progress.step < progress.steps) return;
      this.#told = Math.floor(done / share) * share;
      this.io.stderr.write(`${text}\n`);
    }
  }

  done(): void {
    if (this.#isOpen) this.io.stderr.write(clearLine);
    this.#isOpen = false;
  }
}

function describe(progress: TrainProgress): string {
  if (progress.phase === 'passages') {
    return `best passages: ${formatCount(progress.done)} of ${formatCount(progress.total)} queries`;
  }
  const { step, steps, smoothedLoss, learningRate, examplesPerSecond, secondsLeft, validation } = progress;
  return [
    `step ${formatCount(step)} of ${formatCount(steps)}`,
    `loss ${smoothedLoss.toFixed(4)}`,
    `learning rate ${learningRate.toExponential(1)}`,
    `${formatCount(examplesPerSecond)} examples/s`,
    ...(validation ? [`${validationMeasure} ${validation.value.toFixed(4)} at step ${validation.step}`] : []),
    `${formatDuration(secondsLeft)} left`,
  ].join(' · ');
}
