import { TransientFailure } from '../../common/retry.js';
import { badInput } from '../../collection/index.js';
import { BertQeError, inputError } from '../../common/errors.js';
import { anything, list, number, object, optional, text } from './answer-shape.js';
import { refusalOf } from '../net/exchange.js';
import { missingAnswers, type EngineConnection } from './connection.js';
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
  const answered = answer.items ?? [];
  const missing = missingAnswers(answered, items);
  if (missing !== undefined) throw new TransientFailure(missing);
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
    const origin = item.origin ?? { file: 'collection' };
    if (there?.number !== item.number) {
      const other = (there?.number ?? 0) + 1;
      const problem = `the id "${item.id}" is given twice (document ${other} of the collection has it)`;
      throw badInput(origin, problem, 'Ids must be unique.');
    }
    if (there.digest !== item.digest) {
      const problem = `document "${item.id}" is in ${index} with another text`;
      const fix = 'The collection has changed since the load began; load it into a new index.';
      throw badInput(origin, problem, fix);
    }
  });
}

function refused(item: LoadItem, status: number, reason: string): BertQeError {
  const where = item.origin ? `${item.origin.file}${item.origin.line ? `:${item.origin.line}` : ''}: ` : '';
  return inputError(`${where}the server refuses document "${item.id}": ${status} ${reason}.`);
}
