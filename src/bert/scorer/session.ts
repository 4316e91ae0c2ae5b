import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { BertQeError, reasonOf } from '../../common/errors.js';
import { GRAPH_LOGITS } from '../graph/index.js';
import { loadSession } from '../runtime/index.js';
import { feedsFor, type Feeds } from './feeds.js';
import type { BatchTask, WorkerSetup } from './messages.js';
import { createSharedTask, type SharedTask, takeBatch } from './shared-task.js';

/** A loaded model that turns batches of token ids into logits. */
export interface ScoringSession {
  /** Runs the batches of a task that no other worker takes, and writes their logits to the shared task. */
  run(task: BatchTask, shared: SharedTask): Promise<void>;
  release(): Promise<void>;
}

/** Loads a model and proves, by one short run, that it gives one row of logits per sequence. */
export async function openSession(setup: WorkerSetup): Promise<ScoringSession> {
  const { model } = setup;
  const session = await loadSession(model.path, setup.device, setup.threads, model);
  try {
    const feeds = feedsFor(setup, session.inputMetadata);
    const output = logitsOutput(session.outputMetadata, model.path);
    const probe: BatchTask = {
      ids: new Int32Array(6),
      splits: Int32Array.of(1, 2),
      shapes: [{ rows: 2, length: 3 }],
    };
    const run: RunBatch = async (ids, splits, length, ends) => {
      const result = await session.run(feeds(ids, splits, length, ends), [output]);
      return values(result[output], splits.length, model.labels);
    };
    await runBatches(run, probe, createSharedTask(1, 2 * model.labels));
    return {
      run: (task, shared) => runBatches(run, task, shared),
      release: () => session.release(),
    };
  } catch (error) {
    await session.release();
    throw error instanceof BertQeError ? error : new BertQeError('input', reasonOf(error), { cause: error });
  }
}

/** The output called `logits`, else the only one that could be. */
function logitsOutput(outputs: InferenceSession['outputMetadata'], path: string): string {
  const named = outputs.find(({ name }) => name === GRAPH_LOGITS);
  if (named) return named.name;
  const candidates = outputs.filter((output) => output.isTensor && output.shape.length === 2);
  if (candidates.length === 1) return candidates[0].name;
  const found = outputs.map(
    (output) => `${output.name}${output.isTensor ? ` [${output.shape.join(', ')}]` : ''}`,
  );
  throw new BertQeError(
    'input',
    `${path}: no output looks like logits [batch, labels]; it has ${found.join(', ')}. Export the model for sequence classification.`,
  );
}

/** Logits of one batch. */
type RunBatch = (...batch: Parameters<Feeds>) => Promise<Float32Array>;

/** Batches are taken in rising order: the task is walked through once. */
async function runBatches(
  run: RunBatch,
  { ids, splits, ends, shapes }: BatchTask,
  shared: SharedTask,
): Promise<void> {
  const labels = shared.logits.length / splits.length;
  let row = 0;
  let token = 0;
  let taken = takeBatch(shared);
  for (let batch = 0; taken < shapes.length; batch++) {
    const { rows, length } = shapes[batch];
    if (batch === taken) {
      const logits = await run(
        ids.subarray(token, token + rows * length),
        splits.subarray(row, row + rows),
        length,
        ends?.subarray(row, row + rows),
      );
      shared.logits.set(logits, row * labels);
      taken = takeBatch(shared);
    }
    row += rows;
    token += rows * length;
  }
}

function values(output: InferenceSession.ReturnType[string], rows: number, labels: number): Float32Array {
  if (
    !(output instanceof Tensor) ||
    output.dims.length !== 2 ||
    output.dims[0] !== rows ||
    output.dims[1] !== labels
  ) {
    const shape = output instanceof Tensor ? `[${output.dims.join(', ')}]` : 'no tensor';
    throw new BertQeError(
      'input',
      `The model's output is ${shape}, expected [${rows}, ${labels}]: a relevance score needs one or two labels, as its config says.`,
    );
  }
  return output.data instanceof Float32Array ? output.data : Float32Array.from(output.data as never);
}
