import { createGunzip } from 'node:zlib';

/** Compressed bytes per step; deflate expands at most 1032-fold, so this limits a step's output. */
const stepBytes = 1 << 16;

/**
 * Unpacks gzip data of any number of members. Of damaged data it yields every byte that can be recovered, then throws
 * zlib's error; `stream.pipeline` would drop the bytes that were unpacked but not yet read.
 */
export async function* gunzip(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const stream = createGunzip({ chunkSize: 1 << 18 });
  const state: { unpacked: Buffer[]; failure?: Error } = { unpacked: [] };
  stream.on('data', (chunk: Buffer) => state.unpacked.push(chunk));
  const finished = new Promise<void>((resolve) => {
    stream.on('end', resolve);
    stream.on('error', (error) => {
      state.failure = error;
      resolve();
    });
  });
  const step = (bytes: Buffer): Promise<void> => {
    const written = new Promise<void>((resolve) => stream.write(bytes, () => resolve()));
    return Promise.race([written, finished]);
  };
  try {
    let running: Promise<void> | undefined;
    for await (const chunk of input) {
      for (let start = 0; start < chunk.length && !state.failure; start += stepBytes) {
        await running;
        const ready = state.unpacked;
        state.unpacked = [];
        // The next step is unpacked in zlib's thread while the reader uses this one's bytes.
        running = step(chunk.subarray(start, start + stepBytes));
        for (const bytes of ready) yield bytes;
      }
      if (state.failure) break;
    }
    await running;
    if (!state.failure) stream.end();
    await finished;
    for (const bytes of state.unpacked) yield bytes;
    if (state.failure) throw state.failure;
  } finally {
    stream.destroy();
  }
}
