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
