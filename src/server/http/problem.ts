import type { Problem, ProblemType } from '../schemas/index.js';
import { BertQeError, type ErrorCode } from '../../common/errors.js';
import { Refusal } from '../scheduling/index.js';
import type { LifeEnd } from './life.js';

/** An answer that says what is wrong. */
export interface ProblemAnswer {
  readonly status: number;
  readonly type: ProblemType;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One that is thrown. */
export class HttpProblem extends Error implements ProblemAnswer {
  override readonly name = 'HttpProblem';

  constructor(
    readonly status: number,
    readonly type: ProblemType,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

const refusals = { too_large: 413, overloaded: 429, draining: 503 } as const;

const byCode: Readonly<Partial<Record<ErrorCode, readonly [number, ProblemType]>>> = {
  usage: [422, 'invalid_request'],
  input: [422, 'invalid_request'],
  missing: [404, 'not_found'],
};

/** Why a request ended before its answer; 499 is for the log only, nobody is there to read it. */
const byEnd: Readonly<Record<LifeEnd, readonly [number, ProblemType, string]>> = {
  deadline: [
    504,
    'deadline',
    'The deadline came before the answer; ask for less, or for more time (X-Timeout-Ms).',
  ],
  'hang-up': [499, 'cancelled', 'The client hung up.'],
  stop: [503, 'draining', 'The server stopped before the answer; try another.'],
};

/** What to answer to whatever was thrown. */
export function problemOf(error: unknown, ended: LifeEnd | undefined): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof Refusal) {
    const { reason, retryAfter, message } = error;
    const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
    return new HttpProblem(refusals[reason], reason, message, headers);
  }
  if (ended !== undefined) return new HttpProblem(...byEnd[ended]);
  const known = error instanceof BertQeError ? byCode[error.code] : undefined;
  if (known) return new HttpProblem(...known, (error as BertQeError).message);
  // What happened inside is for the log: it may hold somebody else's text.
  return new HttpProblem(
    500,
    'failure',
    'A model could not score the request; it is logged under its request id.',
  );
}

/** The body of a problem, under every name that clients look for. */
export function problemBody({ message, type }: ProblemAnswer, id: string): Problem {
  return { message, error: message, detail: message, error_type: type, request_id: id };
}
