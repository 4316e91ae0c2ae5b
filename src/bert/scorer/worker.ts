import { makeThreadNicer, NO_ANSWER, serve } from '../runtime/index.js';
import type { ScoringService, WorkerSetup } from './messages.js';
import { openSession } from './open-session.js';
import { finish } from './shared-task.js';

/** A scoring worker: one session, one task at a time. */
await serve(async (setup: WorkerSetup): Promise<ScoringService> => {
  // Before there is a session, whose threads inherit the priority.
  makeThreadNicer(setup.niceness ?? 0);
  const session = await openSession(setup);
  return {
    labels: () => Promise.resolve(session.labels),
    async run(task, shared, worker) {
      // A part that fails is not finished: should its error not arrive, the task is begun again.
      await session.run(task, shared);
      return finish(shared, worker) ? true : NO_ANSWER;
    },
    release: () => session.release(),
  };
});
