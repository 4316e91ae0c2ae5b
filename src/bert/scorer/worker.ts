import { makeThreadNicer, NO_ANSWER, serve } from '../runtime/index.js';
import type { ScoringService, WorkerSetup } from './messages.js';
import { openSession } from './session.js';
import { finish } from './shared-task.js';

/** A scoring worker: one session, one task at a time. */
await serve(async (setup: WorkerSetup): Promise<ScoringService> => {
  // Before there is a session, whose threads inherit the priority.
  makeThreadNicer(setup.niceness ?? 0);
  const session = await openSession(setup);
  return {
    async run(task, shared, worker) {
      let isLast = false;
      try {
        await session.run(task, shared);
      } finally {
        isLast = finish(shared, worker);
      }
      return isLast ? true : NO_ANSWER;
    },
    release: () => session.release(),
  };
});
