import type { InferenceSession } from 'onnxruntime-node';
import { BertQeError, inputError, reasonOf } from '../../common/errors.js';
import { GRAPH_LOGITS } from '../graph/index.js';
import { type Feeds, type FeedsOf, rowFeeds, type TensorClass } from './feeds.js';
import type { BatchTask, WorkerSetup } from './messages.js';
import { createSharedTask, type SharedTask, takeBatch } from './shared-task.js';

/** A loaded model that turns batches of token ids into logits. */
export interface ScoringSession {
  /** Outputs per sequence. */
  readonly labels: number;
  /** Runs the batches of a task that no other worker takes, and writes their logits to the shared task. */
  run(task: BatchTask, shared: SharedTask): Promise<void>;
  release(): Promise<void>;
}

/** Computes the logits of one batch. */
export type RunBatch = (...batch: Parameters<Feeds>) => Promise<Float32Array>;

/** How batches without padding are fed and run. Only CUDA has them, so only Node loads this part. */
interface PackedRuns {
  readonly feeds: FeedsOf;
  readonly guarded: (run: RunBatch) => RunBatch;
}

/** Checks, by one short run, that a session gives one row of logits per sequence; ends one that does not. */
export async function scoringSession(
  session: InferenceSession,
  setup: Pick<WorkerSetup, 'model' | 'secondSegment'>,
  Tensor: TensorClass,
  packed?: PackedRuns,
): Promise<ScoringSession> {
  const { model } = setup;
  try {
    const feeds = (packed?.feeds ?? rowFeeds)(setup, session.inputMetadata, Tensor);
    const output = logitsOutput(session.outputMetadata, model.path);
    const probe: BatchTask = {
      ids: new Int32Array(6),
      splits: Int32Array.of(1, 2),
      shapes: [{ rows: 2, length: 3 }],
    };
    const labels = model.labels ?? lastDimension(session.outputMetadata, output);
    const runWhole: RunBatch = async (ids, splits, length, ends) => {
      const result = await session.run(feeds(ids, splits, length, ends), [output]);
      return values(result[output], Tensor, splits.length, labels);
    };
    const run = packed?.guarded(runWhole) ?? runWhole;
    await runBatches(run, probe, createSharedTask(1, 2 * labels));
    return {
      labels,
      run: (task, shared) => runBatches(run, task, shared, packed !== undefined),
      release: () => session.release(),
    };
  } catch (error) {
    await session.release();
    throw error instanceof BertQeError ? error : inputError(reasonOf(error), error);
  }
}

/** The output called `logits`, else the only one of two dimensions. */
function logitsOutput(outputs: InferenceSession['outputMetadata'], path: string): string {
  const named = outputs.find(({ name }) => name === GRAPH_LOGITS);
  if (named) return named.name;
  const candidates = outputs.filter((output) => output.isTensor && output.shape.length === 2);
  if (candidates.length === 1) return candidates[0].name;
  const found = outputs.map(
    (output) => `${output.name}${output.isTensor ? ` [${output.shape.join(', ')}]` : ''}`,
  );
  throw inputError(
    `${path}: no output looks like logits [batch, labels]; it has ${found.join(', ')}. Export the model for sequence classification.`,
  );
}

/** The size of an output's last dimension as the graph states it; a relevance model that states none has one label. */
function lastDimension(outputs: InferenceSession['outputMetadata'], name: string): number {
  const output = outputs.find((each) => each.name === name)!;
  const size = output.isTensor ? output.shape.at(-1) : undefined;
  return typeof size === 'number' ? size : 1;
}

/** Runs the batches that this worker takes. They come in rising order, so one walk through the task finds them all. */
async function runBatches(
  run: RunBatch,
  { ids, splits, ends, shapes }: BatchTask,
  shared: SharedTask,
  isPacked = false,
): Promise<void> {
  const labels = shared.logits.length / splits.length;
  let row = 0;
  let token = 0;
  let taken = takeBatch(shared);
  for (let batch = 0; taken < shapes.length; batch++) {
    const { rows, length } = shapes[batch];
    const ownEnds = ends?.subarray(row, row + rows);
    const tokens = isPacked && ownEnds ? sum(ownEnds) : rows * length;
    if (batch === taken) {
      const ownIds = ids.subarray(token, token + tokens);
      const logits = await run(ownIds, splits.subarray(row, row + rows), length, ownEnds);
      shared.logits.set(logits, row * labels);
      taken = takeBatch(shared);
    }
    row += rows;
    token += tokens;
  }
}

function values(
  output: InferenceSession.ReturnType[string],
  Tensor: TensorClass,
  rows: number,
  labels: number,
): Float32Array {
  const shape = output instanceof Tensor ? `[${output.dims.join(', ')}]` : 'no tensor';
  if (!(output instanceof Tensor) || shape !== `[${rows}, ${labels}]`) {
    throw inputError(
      `The model's output is ${shape}, expected [${rows}, ${labels}]: a relevance score needs one or two labels, the same as in its config.`,
    );
  }
  return output.data instanceof Float32Array ? output.data : Float32Array.from(output.data as never);
}

export function sum(values: Int32Array): number {
  return values.reduce((total, value) => total + value, 0);
}
