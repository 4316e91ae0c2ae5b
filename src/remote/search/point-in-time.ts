import { number, object, optional } from './answer-shape.js';
import { refusalOf } from '../net/exchange.js';
import { missingShards, type EngineCallOptions, type EngineConnection } from './connection.js';

const keepAlive = '5m';

/**
 * A frozen view of an index: all searches of a run see the same documents, whatever is written meanwhile. The server
 * keeps it for five minutes after its last use, and not over a restart; then a new one is opened.
 */
export class PointInTime {
  #id: Promise<string> | undefined;

  constructor(
    private readonly connection: EngineConnection,
    private readonly index: string,
  ) {}

  /** Runs an action on the view, and again on a new one where the server has lost it. */
  async use<T>(
    action: (view: { id: string; keep_alive: string }) => Promise<T>,
    call: EngineCallOptions,
  ): Promise<T> {
    for (let lost = 0; ; lost++) {
      const opening = (this.#id ??= this.#open(call));
      try {
        return await action({ id: await opening, keep_alive: keepAlive });
      } catch (error) {
        // Another search may have opened a new view already.
        if (this.#id === opening) this.#id = undefined;
        if (lost >= 3 || !isLost(error)) throw error;
      }
    }
  }

  async close(): Promise<void> {
    const opening = this.#id;
    this.#id = undefined;
    if (!opening) return;
    await opening.then((id) => this.#release(id)).catch(() => undefined);
  }

  async #release(id: string): Promise<void> {
    const request = this.connection.dialect.closePointInTime(id);
    // If this fails, the server drops the view after five minutes.
    await this.connection.act(request, { attempts: 1 }).catch(() => undefined);
  }

  /** Opens a view of all shards. The server itself would accept one without those that are away. */
  async #open(call: EngineCallOptions): Promise<string> {
    const { dialect } = this.connection;
    const answer = await this.connection.call(
      dialect.openPointInTime(this.index, keepAlive),
      openedView,
      call,
      (opened) => {
        const { _shards: shards } = opened;
        const away = shards && missingShards(this.index, shards.total, shards.successful);
        if (away !== undefined) void this.#release(dialect.pointInTimeId(opened));
        return away;
      },
    );
    return dialect.pointInTimeId(answer);
  }
}

/** The answer to opening a view; not every version counts the shards. */
const openedView = object({ _shards: optional(object({ total: number, successful: number })) });

function isLost(error: unknown): boolean {
  const refusal = refusalOf(error);
  return refusal?.status === 404 || refusal?.type === 'search_context_missing_exception';
}
