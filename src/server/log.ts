import { pino, type DestinationStream, type LevelWithSilent, type Logger } from 'pino';
import { BertQeError } from '../common/errors.js';
import type { RequestNotes } from './http/index.js';

/** The least important level that is logged; `silent` logs nothing. */
export type LogLevel = LevelWithSilent;

/** A finished request. */
export interface RequestEntry extends RequestNotes {
  readonly id: string;
  readonly client: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
}

/** The log of requests and failures. It never holds queries or texts of documents. */
export class ServerLog {
  readonly #pino: Logger;

  constructor(level: LogLevel, destination: DestinationStream) {
    this.#pino = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  }

  say(message: string, facts: Readonly<Record<string, unknown>> = {}): void {
    this.#pino.info(facts, message);
  }

  request(entry: RequestEntry): void {
    if (entry.status !== 500 && !this.#pino.isLevelEnabled('info')) return;
    const rounded = Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, round(value)]));
    // 503 and 504 are due to the client or the load; 500 is a failure of the server.
    if (entry.status === 500) this.#pino.error(rounded, 'failed');
    else this.#pino.info(rounded, 'answered');
  }

  /** Logs a failure of the server, without its message, which may quote a client's text. */
  failure(id: string, error: unknown): void {
    const { name, stack = '' } = error instanceof Error ? error : new Error(typeof error);
    const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
    const code = error instanceof BertQeError ? { code: error.code } : {};
    this.#pino.error({ id, error: name, ...code, stack: frames.map((line) => line.trim()) }, 'failure');
  }

  flush(): void {
    this.#pino.flush();
  }
}

/** Numbers with one decimal; other values as they are. */
function round(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(10 * value) / 10 : value;
}
