import { parentPort, workerData } from 'node:worker_threads';
import { reasonOf } from '../../common/errors.js';
import { guarded, inTurn, makeThreadNicer } from '../runtime/index.js';
import type { FromWorker, ToWorker, WorkerSetup } from './messages.js';
import { leaveShare } from './share.js';
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
  const { id, task } = message;
  try {
    if (task.taking) {
      const { share, taker } = task.taking;
      await native(() => session.runShared(task, share));
      if (leaveShare(share, taker)) say({ kind: 'over', id });
    } else {
      const logits = await native(() => session.run(task));
      say({ kind: 'done', id, logits }, [logits.buffer]);
    }
  } catch (error) {
    if (task.taking) leaveShare(task.taking.share, task.taking.taker);
    say({ kind: 'failed', id, message: reasonOf(error) });
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
