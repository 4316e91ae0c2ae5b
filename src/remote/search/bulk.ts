import { TransientFailure } from '../../common/retry.js';
import { badInput } from '../../collection/index.js';
import { BertQeError, inputError } from '../../common/errors.js';
import { anything, list, number, object, optional, text } from './answer-shape.js';
import { refusalOf, type EngineConnection } from './connection.js';
import { fields } from './definition.js';
import type { LoadItem } from './load-items.js';

const bulkAnswer = object({
  items: optional(
    list(
      object({
        create: object({
          status: number,
          error: optional(object({ type: optional(text), reason: optional(text) })),
        }),
      }),
    ),
  ),
});

const originAnswer = object({
  docs: list(
    object({
      _source: optional(object({ origin: optional(object({ number: number, digest: text })) })),
      error: anything,
    }),
  ),
});

/**
 * Sends documents once and returns those that must be sent again because the server was overloaded. All others are in
 * the index exactly once: `create` refuses a second copy, and a document that is there already is compared with ours.
 */
export async function sendBulk(
  connection: EngineConnection,
  index: string,
  items: readonly LoadItem[],
  signal?: AbortSignal,
): Promise<LoadItem[]> {
  let answer: ReturnType<typeof bulkAnswer>;
  try {
    answer = await connection.once(
      {
        method: 'POST',
        path: `/${encodeURIComponent(index)}/_bulk`,
        query: { filter_path: 'items.create.status,items.create.error.type,items.create.error.reason' },
        lines: items.map(({ lines }) => lines).join(''),
      },
      bulkAnswer,
      signal,
    );
  } catch (error) {
    if (refusalOf(error)?.status !== 413 || items.length === 1) throw error;
    // The request is too large for this server.
    const half = items.length >> 1;
    return [
      ...(await sendBulk(connection, index, items.slice(0, half), signal)),
      ...(await sendBulk(connection, index, items.slice(half), signal)),
    ];
  }
  const { items: answered } = answer;
  if (answered?.length !== items.length) {
    throw new TransientFailure(
      `the server answered for ${answered?.length ?? 0} of ${items.length} documents`,
    );
  }
  const again: LoadItem[] = [];
  const present: LoadItem[] = [];
  answered.forEach(({ create: { status, error } }, i) => {
    if (status >= 200 && status < 300) return;
    if (status === 409) present.push(items[i]);
    else if (status === 429 || status >= 500) again.push(items[i]);
    else throw refused(items[i], status, error?.reason ?? error?.type ?? 'no reason given');
  });
  if (present.length > 0) await checkPresent(connection, index, present, signal);
  return again;
}

/** Checks that documents that are in the index already are the ones that were sent. */
async function checkPresent(
  connection: EngineConnection,
  index: string,
  items: readonly LoadItem[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const path = `/${encodeURIComponent(index)}/_mget`;
  const body = { ids: items.map(({ id }) => id) };
  const { docs } = await connection.call(
    { method: 'POST', path, query: { _source_includes: fields.origin }, body },
    originAnswer,
    { signal },
    ({ docs: found }) => missingAnswers(found, items),
  );
  items.forEach((item, i) => {
    const there = docs[i]._source?.origin;
    if (there?.number === item.number && there.digest === item.digest) return;
    throw badInput(
      item.origin ?? { file: 'collection' },
      there?.number === item.number
        ? `document "${item.id}" is in ${index} with another text`
        : `the id "${item.id}" is given twice (document ${(there?.number ?? 0) + 1} of the collection has it)`,
      there?.number === item.number
        ? 'The collection has changed since the load began; load it into a new index.'
        : 'Ids must be unique.',
    );
  });
}

/** A description of the documents that an answer does not cover; undefined if it covers all. */
export function missingAnswers(found: readonly unknown[], asked: readonly unknown[]): string | undefined {
  return found.length === asked.length
    ? undefined
    : `the server answered for ${found.length} of ${asked.length} documents`;
}

function refused(item: LoadItem, status: number, reason: string): BertQeError {
  const where = item.origin ? `${item.origin.file}${item.origin.line ? `:${item.origin.line}` : ''}: ` : '';
  return inputError(`${where}the server refuses document "${item.id}": ${status} ${reason}.`);
}
