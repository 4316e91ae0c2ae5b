import { refusalOf, type CallOptions, type EngineConnection } from './connection.js';
import { shardsAway } from './shards.js';

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
    await opening.then((id) => this.#forget(id)).catch(() => undefined);
  }

  async #forget(id: string): Promise<void> {
    const request = this.connection.dialect.closePointInTime(id);
    // If this fails, the server forgets it by itself.
    await this.connection.call(request, { attempts: 1 }).catch(() => undefined);
  }

  /** A view of all shards: the server opens one without those that are away, and would search past them unasked. */
  async #open(call: CallOptions): Promise<string> {
    const { dialect } = this.connection;
    const answer = await this.connection.call<OpenedView>(
      dialect.openPointInTime(this.index, keepAlive),
      call,
      (opened) => {
        const shards = opened['_shards'] as OpenedView['_shards'];
        const away = shards && shardsAway(this.index, shards.total, shards.successful);
        if (away !== undefined) void this.#forget(dialect.pointInTimeId(opened));
        return away;
      },
    );
    return dialect.pointInTimeId(answer);
  }
}

/** Not every version counts the shards. */
interface OpenedView extends Record<string, unknown> {
  readonly _shards?: { readonly total: number; readonly successful: number };
}

function isLost(error: unknown): boolean {
  const refusal = refusalOf(error);
  return refusal?.status === 404 || refusal?.type === 'search_context_missing_exception';
}
