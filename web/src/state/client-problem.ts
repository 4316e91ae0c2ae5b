import type { Problem, SearchEvents } from '../model/answer.js';

/** A request that failed, at the server or on the way to it. */
export class ClientProblem extends Error {
  constructor(
    /** The server's word for it; `unreachable` where there was no answer. */
    readonly type: Problem['error_type'] | 'unreachable',
    message: string,
    /** Seconds after which to try again, where the server says so. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** The listener of a search. */
export type SearchListener = {
  readonly [Name in 'initial' | 'progress']: (data: SearchEvents[Name]) => void;
} & {
  /** Hears what models are waited for, and why they were not kept; without a server only. */
  readonly note?: (text: string) => void;
};
