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

/** The end of an answer that was streamed. The status is for the log. */
export function streamedAnswer(status: number): Answer {
  return { status, headers: {}, body: undefined };
}

/** A JSON answer whose long lists are written in slices of time. */
export async function largeJsonAnswer(value: object): Promise<Answer> {
  const slice = new TimeSlice();
  const parts: Buffer[] = [];
  const writeList = async (elements: readonly unknown[]): Promise<void> => {
    for (const [i, element] of elements.entries()) {
      parts.push(Buffer.from(`${i === 0 ? '[' : ','}${JSON.stringify(element)}`));
      if (slice.isOver) await slice.yield();
    }
    parts.push(Buffer.from(elements.length === 0 ? '[]' : ']'));
  };
  if (Array.isArray(value)) {
    await writeList(value);
  } else {
    let separator = '{';
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined) continue;
      parts.push(Buffer.from(`${separator}${JSON.stringify(name)}:`));
      separator = ',';
      if (Array.isArray(field)) await writeList(field);
      else parts.push(Buffer.from(JSON.stringify(field)));
    }
    parts.push(Buffer.from(separator === '{' ? '{}' : '}'));
  }
  return textAnswer(Buffer.concat(parts), 'application/json');
}
