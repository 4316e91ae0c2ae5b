import { grown } from './concat.js';
import { failureError } from './errors.js';

/** Bytes that a buffer has at first; it is doubled as they are used up. */
const firstBytes = 65_536;

/** The text of an answer, which may be endless or come in single bytes; beyond so many bytes it is refused. */
export async function boundedText(
  { body }: Pick<Response, 'body'>,
  mostBytes: number,
  url: string,
): Promise<string> {
  let buffer = new Uint8Array(firstBytes);
  let length = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    const end = length + chunk.length;
    if (end > mostBytes) {
      throw failureError(
        `${url}: the answer is too long, longer than ${mostBytes} bytes; is it such a server?`,
      );
    }
    if (end > buffer.length) buffer = grown(buffer, end);
    buffer.set(chunk, length);
    length = end;
  }
  return new TextDecoder().decode(buffer.subarray(0, length));
}
