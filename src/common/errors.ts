/** The kind of an error: a stable word that programs may test for. */
export type ErrorCode =
  /** The command line or an options object asks for something that does not exist or is out of range. */
  | 'usage'
  /** The content of a file does not follow its format. */
  | 'input'
  /** A file, folder, document, query or model does not exist. */
  | 'missing'
  /** An index, cache or model folder is damaged or of another version. */
  | 'corrupt'
  /** Another process holds the resource. */
  | 'locked'
  /** The caller's AbortSignal fired. */
  | 'aborted'
  /** The machine failed: a full disk, a dead worker, a remote service that is gone. */
  | 'failure';

/**
 * The error class of the project: a stable {@link ErrorCode}, a one-line message that names the fix, and the
 * underlying error as `cause`.
 */
export class BertQeError extends Error {
  override readonly name = 'BertQeError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }

  /** The exit code of the command line: 2 for errors that the user can fix, 130 for Ctrl-C, else 1. */
  get exitCode(): number {
    if (this.code === 'aborted') return 130;
    return this.code === 'failure' ? 1 : 2;
  }
}

/** Makes errors of one code, with a message and, where there is one, the cause. */
const maker =
  (code: ErrorCode) =>
  (message: string, cause?: unknown): BertQeError =>
    new BertQeError(code, message, cause === undefined ? undefined : { cause });

export const usageError = maker('usage');
export const inputError = maker('input');
export const missingError = maker('missing');
export const corruptError = maker('corrupt');
export const failureError = maker('failure');

/** The text of anything that was thrown, for use inside another message. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Throws `aborted` when the signal has fired; call it between units of work. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new BertQeError('aborted', 'The operation was cancelled.', { cause: signal.reason });
  }
}
