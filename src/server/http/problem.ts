import { clip } from '../../common/clip.js';
import { BertQeError, type ErrorCode } from '../../common/errors.js';
import { messageCharacters } from '../limits.js';
import { problemStatus, type Problem, type ProblemType } from '../schemas/index.js';
import { jsonAnswer, type Answer } from './answer.js';

/** An answer that says what is wrong. */
export interface ProblemAnswer {
  readonly type: ProblemType;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A problem that is thrown. */
export class HttpProblem extends Error implements ProblemAnswer {
  override readonly name = 'HttpProblem';

  constructor(
    readonly type: ProblemType,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }

  get status(): number {
    return problemStatus[this.type];
  }
}

/** Reasons why a request ended before its answer. */
export type EndReason = 'hang-up' | 'deadline' | 'memory' | 'stop';

const byCode: Readonly<Partial<Record<ErrorCode, ProblemType>>> = {
  usage: 'invalid_request',
  input: 'invalid_request',
  missing: 'not_found',
};

const byEnd: Readonly<Record<EndReason, readonly [ProblemType, string]>> = {
  deadline: [
    'deadline',
    'The deadline came before the answer; ask for less, or for more time (X-Timeout-Ms).',
  ],
  memory: [
    'overloaded',
    'The server needed the memory of the request for others; send fewer or smaller requests at a time.',
  ],
  'hang-up': ['cancelled', 'The client hung up.'],
  stop: ['draining', 'The server stopped before the answer; try another.'],
};

/** The problem that answers an error thrown by a request. A failure of the server is logged. */
export function problemOf(
  error: unknown,
  { id, ended }: { readonly id: string; readonly ended: EndReason | undefined },
  log: { failure(id: string, error: unknown): void },
): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (ended !== undefined) return new HttpProblem(...byEnd[ended]);
  const known = error instanceof BertQeError ? byCode[error.code] : undefined;
  if (known) return new HttpProblem(known, (error as BertQeError).message);
  log.failure(id, error);
  // Its own message may hold a client's text.
  return new HttpProblem(
    'failure',
    'A model could not score the request; it is logged under its request id.',
  );
}

/** The body of a problem, under every name that clients look for. */
export function problemBody({ message: whole, type }: ProblemAnswer, id: string): Problem {
  const message = clip(whole, messageCharacters);
  return { message, error: message, detail: message, error_type: type, request_id: id };
}

export function problemAnswer(problem: ProblemAnswer, id: string): Answer {
  return jsonAnswer(problemBody(problem, id), problemStatus[problem.type], problem.headers);
}
