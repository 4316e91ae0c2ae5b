import { parentPort, workerData } from 'node:worker_threads';
import { guarded, inTurn } from '../../bert/runtime/index.js';
import { BertQeError, reasonOf } from '../../common/errors.js';
import type { Engine } from './engine.js';
import type { FromWorker, ToWorker, WorkerSetup } from './messages.js';
import { saveModel, saveState, startFromModel, startFromState } from './state-file.js';

/** The training worker: owns the engine, does one thing at a time, ends when told to and never otherwise. */
const { settings, start, guard, turn } = workerData as WorkerSetup;
const port = parentPort!;

/** As in the scorer's worker: alone in the context, and not when the process is about to end. */
function native<T>(work: () => Promise<T>): Promise<T> {
  return inTurn(turn, () => guarded(guard, work));
}

function say(message: FromWorker): void {
  port.postMessage(message, message.kind === 'scored' ? [message.logits.buffer] : []);
}

function sayFailed(error: unknown): void {
  const code = error instanceof BertQeError ? error.code : 'failure';
  say({ kind: 'failed', code, message: reasonOf(error) });
}

async function answer(engine: Engine, message: Exclude<ToWorker, { kind: 'close' }>): Promise<FromWorker> {
  switch (message.kind) {
    case 'step':
      return {
        kind: 'stepped',
        outcome: await engine.step(message.batches, message.learningRate, message.number),
      };
    case 'score':
      return { kind: 'scored', logits: await engine.score(message.batches, message.step) };
    case 'saveState':
      await saveState(engine, message.file);
      return { kind: 'saved' };
    case 'saveModel':
      await saveModel(engine, message.file);
      return { kind: 'saved' };
  }
}

async function handle(engine: Engine, message: ToWorker): Promise<void> {
  if (message.kind === 'close') {
    await native(() => engine.release());
    // With the port closed nothing keeps the thread alive: it ends by itself, outside native code.
    port.close();
    return;
  }
  try {
    say(await native(() => answer(engine, message)));
  } catch (error) {
    sayFailed(error);
  }
}

try {
  const engine = await native(() =>
    'model' in start ? startFromModel(start.model, settings) : startFromState(start.state, settings),
  );
  // A step may arrive while the one before it runs; they wait for each other.
  let last = Promise.resolve();
  port.on('message', (message: ToWorker) => {
    last = last.then(() => handle(engine, message));
  });
  say({ kind: 'ready' });
} catch (error) {
  sayFailed(error);
}
