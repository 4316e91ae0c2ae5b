import { isMainThread } from 'node:worker_threads';
import { usageError } from '../../common/errors.js';
import { evaluateInMainThread } from './main-thread.js';

/** The runtime's own switch, which it reads from the environment of the process when it opens its first session. */
const SWITCH = 'ORT_DISABLE_TELEMETRY';

let silenced: Promise<void> | undefined;

/**
 * Turns off the telemetry of onnxruntime, which would look up its vendor's collector and write events to the home
 * folder. To be awaited before a session is opened, or a process started that opens one. Those who want the telemetry
 * set `BERT_QE_RUNTIME_TELEMETRY=1`.
 */
export function silenceRuntime(): Promise<void> {
  silenced ??= silence();
  return silenced;
}

async function silence(): Promise<void> {
  const { env } = process;
  if (env['BERT_QE_RUNTIME_TELEMETRY'] === '1' || env[SWITCH] === '1') return;
  env[SWITCH] = '1';
  // In a worker, process.env is a copy: native code sees what is set in that of the main thread.
  const setInMainThread = () => evaluateInMainThread(`process.env.${SWITCH} = '1'`);
  if (!isMainThread && (await setInMainThread()) !== '1') {
    throw usageError(
      'The telemetry of onnxruntime cannot be turned off from this worker thread (--permission keeps it from the main ' +
        `thread); start the process with ${SWITCH}=1, or with BERT_QE_RUNTIME_TELEMETRY=1 to leave it on.`,
    );
  }
}
