import { inputError, reasonOf } from '../common/errors.js';
import { type BatchTask, createSharedTask, scoringSession } from '../bert/core.js';
import type { LabelledModel } from './prepare.js';
import type { Service } from './remote-service.js';
import { loadRuntime, type WebDevice } from './runtime.js';

/** The setup of a worker that runs a model. */
export interface SessionSetup {
  readonly role: 'session';
  readonly model: LabelledModel;
  readonly bytes: Uint8Array;
  /** Weights outside the file of the model, by the name under which it mentions them. */
  readonly external?: { readonly path: string; readonly data: Uint8Array } | undefined;
  readonly secondSegment: 0 | 1;
  readonly device: WebDevice;
  readonly threads: number;
  readonly runtime: string | undefined;
}

/** Opens a session, which computes the logits of one batch after the other. */
export async function openSessionService(setup: SessionSetup): Promise<Service> {
  const { model, device, threads } = setup;
  const runtime = await loadRuntime(device, threads, setup.runtime);
  const created = await runtime.InferenceSession.create(setup.bytes, {
    executionProviders: device === 'webgpu' ? ['webgpu', 'wasm'] : ['wasm'],
    graphOptimizationLevel: 'all',
    // Every failure is thrown as well as logged; warnings concern nobody.
    logSeverityLevel: 3,
    // Batches differ in shape, and memory would be planned for each.
    enableMemPattern: false,
    ...(setup.external ? { externalData: [setup.external] } : {}),
  }).catch((error: unknown) => {
    throw inputError(`${model.path}: cannot be run with ${device}: ${reasonOf(error)}`, error);
  });
  const session = await scoringSession(created, setup, runtime.Tensor);
  // The runtime runs one batch at a time.
  let last: Promise<unknown> = Promise.resolve();
  return {
    facts: undefined,
    methods: {
      async run(_, task: BatchTask): Promise<Float32Array> {
        const run = last.then(async () => {
          const results = createSharedTask(1, task.splits.length * model.labels);
          await session.run(task, results);
          return results.logits.slice();
        });
        last = run.catch(() => {});
        return run;
      },
    },
    release: () => session.release(),
  };
}
