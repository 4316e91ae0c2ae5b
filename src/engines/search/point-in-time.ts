import { BertQeError } from '../../errors.js';
import { refusalOf, type CallOptions, type EngineConnection } from './connection.js';

const keepAlive = '5m';

/**
 * A frozen view of an index: all searches of a run see the same documents, whatever is written meanwhile. When the
 * server has lost it (it keeps it for five minutes after the last use, and not over a restart) a new one is opened.
 */
export class PointInTime {
  #id: Promise<string> | undefined;

  constructor(
    private readonly connection: EngineConnection,
    private readonly index: string,
  ) {}

  /** Runs an action on the view; once more on a new one, where the server has lost this. */
  async use<T>(
    action: (view: { id: string; keep_alive: string }) => Promise<T>,
    call: CallOptions,
  ): Promise<T> {
    for (let lost = 0; ; lost++) {
      const opening = (this.#id ??= this.#open(call));
      try {
        return await action({ id: await opening, keep_alive: keepAlive });
      } catch (error) {
        // Another search may have opened a new one already.
        if (this.#id === opening) this.#id = undefined;
        if (lost >= 3 || !isLost(error)) throw error;
      }
    }
  }

  async close(): Promise<void> {
    const opening = this.#id;
    this.#id = undefined;
    if (!opening) return;
    try {
      const request = this.connection.dialect.closePointInTime(await opening);
      await this.connection.call(request, { attempts: 1 });
    } catch {
      // The server forgets it by itself.
    }
  }

  async #open(call: CallOptions): Promise<string> {
    const { dialect } = this.connection;
    const answer = await this.connection.call(dialect.openPointInTime(this.index, keepAlive), call);
    const { failed = 0 } = (answer['_shards'] ?? {}) as { failed?: number };
    if (failed > 0) {
      throw new BertQeError(
        'failure',
        `${failed} shards of ${this.index} cannot be searched; try again later.`,
      );
    }
    return dialect.pointInTimeId(answer);
  }
}

function isLost(error: unknown): boolean {
  const refusal = refusalOf(error);
  return refusal?.status === 404 || refusal?.type === 'search_context_missing_exception';
}
