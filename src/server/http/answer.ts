import { TimeSlice } from '../../common/yield.js';

/** An answer to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if the handler has written the answer itself, as a stream. */
  readonly body: string | Uint8Array | undefined;
}

export function jsonAnswer(
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return textAnswer(JSON.stringify(value), 'application/json', status, headers);
}

export function textAnswer(
  body: string | Uint8Array,
  type: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, headers: { ...headers, 'Content-Type': type }, body };
}

/** Levels of a value whose fields and elements are written one by one. */
const slicedLevels = 4;

/** A value as JSON. Its fields and elements are written one by one, in slices of time. */
export async function largeJson(value: unknown): Promise<Buffer> {
  const slice = new TimeSlice();
  const parts: Buffer[] = [];
  let text = '';
  const write = (more: string): void => {
    text += more;
    if (text.length < partCharacters) return;
    parts.push(Buffer.from(text));
    text = '';
  };
  const writeValue = async (any: unknown, levels: number): Promise<void> => {
    if (slice.isOver) await slice.yield();
    if (levels === 0 || typeof any !== 'object' || any === null) return write(JSON.stringify(any));
    let separator = '';
    const isList = Array.isArray(any);
    write(isList ? '[' : '{');
    for (const [name, field] of isList ? any.entries() : Object.entries(any)) {
      if (field === undefined && !isList) continue;
      write(isList ? separator : `${separator}${JSON.stringify(name)}:`);
      separator = ',';
      await writeValue(field ?? null, typeof field === 'object' ? levels - 1 : 0);
    }
    write(isList ? ']' : '}');
  };
  await writeValue(value, slicedLevels);
  parts.push(Buffer.from(text));
  return Buffer.concat(parts);
}

/** Characters that are made bytes at a time. */
const partCharacters = 16_384;
