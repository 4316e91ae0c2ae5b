import { once } from 'node:events';
import { writeFileAtomic, type FileData } from './atomic.js';
import { systemCode, writeFailure } from './io-errors.js';

/** The path that stands for standard input or output. */
export const standardStream = '-';

/** Writes to a file, atomically, or to standard output when the path is `-`. */
export async function writeOutput(
  path: string,
  data: FileData,
  stdout: NodeJS.WritableStream = process.stdout,
): Promise<void> {
  if (path !== standardStream) return writeFileAtomic(path, data);
  const pieces = typeof data === 'string' || data instanceof Uint8Array ? [data] : data;
  let failure: Error | undefined;
  const onError = (error: Error): void => {
    failure = error;
  };
  stdout.on('error', onError);
  try {
    for await (const piece of pieces) {
      if (!stdout.write(piece) && !failure) await once(stdout, 'drain');
      if (failure) throw failure;
    }
    // The callback of an empty write comes after all earlier writes.
    await new Promise<void>((resolve, reject) => {
      stdout.write('', (error) => (error ? reject(error) : resolve()));
    });
    stdout.off('error', onError);
  } catch (error) {
    // The listener stays: a failed stream may emit again, and an 'error' without listener ends the process.
    // EPIPE: the reader ended (`… | head`) and has what it wanted.
    if (systemCode(error) === 'EPIPE') return;
    throw systemCode(error) ? writeFailure('standard output', error) : error;
  }
}
