import { parentPort, workerData } from 'node:worker_threads';
import { reasonOf } from '../../errors.js';
import { guarded, inTurn, makeThreadNicer } from '../runtime/index.js';
import type { FromWorker, ToWorker, WorkerSetup } from './messages.js';
import { openSession, type ScoringSession } from './session.js';

/** A scoring worker: owns one session, runs one task at a time, ends when told to and never otherwise. */
const setup = workerData as WorkerSetup;
const port = parentPort!;

/** Enters native code: never when the process is about to end, and never beside another worker of the same context. */
function native<T>(work: () => Promise<T>): Promise<T> {
  return inTurn(setup.turn, () => guarded(setup.guard, work));
}

function say(message: FromWorker, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}

async function handle(session: ScoringSession, message: ToWorker): Promise<void> {
  if (message.kind === 'close') {
    await native(() => session.release());
    // With the port closed nothing keeps the thread alive: it ends by itself, outside native code.
    port.close();
    return;
  }
  try {
    const logits = await native(() => session.run(message.task));
    say({ kind: 'done', logits }, [logits.buffer]);
  } catch (error) {
    say({ kind: 'failed', message: reasonOf(error) });
  }
}

try {
  // Before there is a session, whose threads take this one's priority.
  makeThreadNicer(setup.niceness ?? 0);
  const session = await native(() => openSession(setup));
  // Tasks may arrive while one is running; they wait for each other.
  let last = Promise.resolve();
  port.on('message', (message: ToWorker) => {
    last = last.then(() => handle(session, message));
  });
  say({ kind: 'ready' });
} catch (error) {
  say({ kind: 'refused', message: reasonOf(error) });
}
