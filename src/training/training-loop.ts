import { BertQeError, failureError } from '../common/errors.js';
import type { Checkpoints, SavedFile, SavedTraining } from './checkpoints.js';
import type { Configuration } from './configuration.js';
import { isFinite, type StepOutcome } from './engine/training-engine.js';
import type { ScheduleName, TrainingSettings } from './settings.js';
import { bestOf, type Measure, type StepRecord, type ValidationRecord } from './history.js';

/** The progress of a training after a step. */
export interface StepProgress extends StepRecord {
  readonly steps: number;
  /** Mean loss of the last steps. */
  readonly smoothedLoss: number;
  readonly examplesPerSecond: number;
  readonly secondsLeft: number;
  /** The last validation; absent before the first. */
  readonly validation?: ValidationRecord;
}

export interface LoopContext extends Pick<
  TrainingSettings,
  'learningRate' | 'warmup' | 'schedule' | 'keep' | 'saveEvery' | 'patience'
> {
  /** Writes the state to resume from, or the weights of a model. */
  readonly save: (what: 'saveState' | 'saveModel', file: string) => Promise<void>;
  readonly checkpoints: Checkpoints;
  readonly configuration: Configuration;
  readonly steps: number;
  readonly examplesPerStep: number;
  readonly validateEvery: number;
  /** Trains on the batches of steps, `first` and those behind it, counted from 0. */
  readonly takeSteps: (first: number, rates: readonly number[]) => Promise<StepOutcome[]>;
  /** A call of many steps takes less time than many calls (false). */
  readonly prefersManySteps?: boolean;
  /** The validation value of the current weights; absent without validation queries. */
  readonly validate?: (() => Promise<number>) | undefined;
  /** The measure of that value (nDCG@20). */
  readonly measure?: Measure | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: StepProgress) => void) | undefined;
}

/** The state of a training besides its weights. */
export interface LoopState {
  step: number;
  seconds: number;
  readonly steps: StepRecord[];
  readonly validations: ValidationRecord[];
  best: SavedFile | null;
}

/** The state to go on from: that of a checkpoint, or of a new training. */
export function loopStateOf(saved: SavedTraining | undefined): LoopState {
  return {
    step: saved?.step ?? 0,
    seconds: saved?.seconds ?? 0,
    steps: [...(saved?.steps ?? [])],
    validations: [...(saved?.validations ?? [])],
    best: saved?.best ?? null,
  };
}

/** The number of last steps whose mean loss and speed are reported. */
const smoothing = 50;

/** Runs the missing steps. A step depends on its number alone, so a resumed training gives the same result. */
export async function trainingLoop(context: LoopContext, state: LoopState): Promise<void> {
  const { steps, saveEvery, validateEvery, signal } = context;
  if (state.step === 0 && state.validations.length === 0) await validate(context, state);
  const times: number[] = [];
  while (state.step < steps && !isExhausted(context, state)) {
    const started = performance.now();
    const records = await nextSteps(context, state, stepsAtOnce(context, state, times));
    const seconds = (performance.now() - started) / 1000;
    state.seconds += seconds;
    for (const record of records) {
      state.steps.push(record);
      state.step = record.step;
      times.push(seconds / records.length);
      if (times.length > smoothing) times.shift();
      report(context, state, record, times);
    }
    const ends = state.step === steps;
    if (context.validate && (ends || state.step % validateEvery === 0)) await validate(context, state);
    if (ends || signal?.aborted || state.step % saveEvery === 0) await writeCheckpoint(context, state);
    if (signal?.aborted) {
      throw new BertQeError(
        'aborted',
        `The training was stopped after step ${state.step}; it can be resumed.`,
      );
    }
  }
}

/** The time of a call of many steps: the longest wait for progress, and after Ctrl-C. */
const CALL_SECONDS = 10;
const FIRST_STEPS = 4;

/** The number of steps to take in one call, up to the next validation or checkpoint. */
function stepsAtOnce(context: LoopContext, { step }: LoopState, times: readonly number[]): number {
  if (!context.prefersManySteps) return 1;
  const { steps, saveEvery, validateEvery } = context;
  const next = (interval: number) => interval - (step % interval);
  const last = times.at(-1);
  const wanted = last === undefined ? FIRST_STEPS : Math.max(1, Math.floor(CALL_SECONDS / last));
  return Math.min(
    wanted,
    steps - step,
    next(saveEvery),
    context.validate ? next(validateEvery) : Number.POSITIVE_INFINITY,
  );
}

async function nextSteps(context: LoopContext, state: LoopState, count: number): Promise<StepRecord[]> {
  const { steps, warmup, schedule, checkpoints } = context;
  const rates = Array.from({ length: count }, (_, i) =>
    learningRateAt(state.step + i, steps, context.learningRate, warmup, schedule),
  );
  const outcomes = await context.takeSteps(state.step, rates);
  return outcomes.map((outcome, i) => {
    const { loss, gradientNorm } = outcome;
    const step = state.step + i + 1;
    if (!isFinite(outcome)) {
      throw failureError(
        `Step ${step} of ${steps}: the loss is ${loss} and the gradient's norm ${gradientNorm}. Train with a smaller ` +
          `learning rate (now ${rates[i].toPrecision(3)}); ${checkpoints.folder} keeps the last good checkpoint.`,
      );
    }
    return { step, loss, learningRate: rates[i], gradientNorm };
  });
}

async function validate(context: LoopContext, state: LoopState): Promise<void> {
  if (!context.validate) return;
  const record = { step: state.step, value: await context.validate() };
  state.validations.push(record);
  if (context.keep === 'last' || bestOf(state.validations, context.measure) !== record) return;
  const best = `best-${record.step}.safetensors`;
  await context.save('saveModel', context.checkpoints.path(best));
  state.best = await context.checkpoints.record(best);
  await writeCheckpoint(context, state);
}

async function writeCheckpoint(context: LoopContext, state: LoopState): Promise<void> {
  const { save, checkpoints, configuration } = context;
  const name = `state-${state.step}.safetensors`;
  await save('saveState', checkpoints.path(name));
  await checkpoints.write({ configuration, ...state, state: await checkpoints.record(name) });
}

/** True where the last `patience` validations brought no better value. */
function isExhausted({ patience, measure }: LoopContext, { validations }: LoopState): boolean {
  if (patience === undefined) return false;
  const best = bestOf(validations, measure);
  return best !== undefined && validations.length - 1 - validations.indexOf(best) >= patience;
}

function report(
  { steps, examplesPerStep, onProgress }: LoopContext,
  state: LoopState,
  record: StepRecord,
  times: readonly number[],
): void {
  const secondsPerStep = times.reduce((sum, time) => sum + time, 0) / times.length;
  const recent = state.steps.slice(-smoothing);
  const validation = state.validations.at(-1);
  onProgress?.({
    ...record,
    steps,
    smoothedLoss: recent.reduce((sum, { loss }) => sum + loss, 0) / recent.length,
    examplesPerSecond: examplesPerStep / secondsPerStep,
    secondsLeft: (steps - state.step) * secondsPerStep,
    ...(validation ? { validation } : {}),
  });
}

/** The share of the steps before a plateau ends, warm-up included. */
const PLATEAU = 0.35;

/** The learning rate of a step, counted from 0. It would reach 0 one step after the last. */
export function learningRateAt(
  step: number,
  steps: number,
  peak: number,
  warmup: number,
  schedule: ScheduleName = 'linear',
): number {
  const rising = Math.floor(steps * warmup);
  if (schedule === 'bert') return step < rising ? (peak * step) / rising : peak * (1 - step / steps);
  if (step < rising) return (peak * (step + 1)) / rising;
  const flat = schedule === 'plateau' ? Math.max(rising, Math.floor(steps * PLATEAU)) : rising;
  return step < flat ? peak : (peak * (steps - step)) / (steps - flat);
}
