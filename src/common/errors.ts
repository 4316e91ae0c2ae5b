/** What went wrong, as a stable word that programs may test for. */
export type ErrorCode =
  /** The command line or an options object asks for something that does not exist or is out of range. */
  | 'usage'
  /** A file that was read does not say what its format promises. */
  | 'input'
  /** A file, folder, document, query or model that was named is not there. */
  | 'missing'
  /** An index, cache or model folder is damaged or of another version. */
  | 'corrupt'
  /** Another process holds the resource. */
  | 'locked'
  /** The caller's AbortSignal fired. */
  | 'aborted'
  /** The machine failed us: disk full, a worker died, a remote service went away. */
  | 'failure';

/**
 * The one error class of the project: a stable {@link ErrorCode}, a message that is one line and names the
 * fix, and the underlying error as `cause`.
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

  /** The process exit code of the command-line contract: 2 for what the user can mend, 130 for Ctrl-C, else 1. */
  get exitCode(): number {
    if (this.code === 'aborted') return 130;
    return this.code === 'failure' || this.code === 'locked' ? 1 : 2;
  }
}

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
