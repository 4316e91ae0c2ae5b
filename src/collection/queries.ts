import { closing } from '../common/closing.js';
import { badInput, checkId, quote } from './bad-input.js';
import { requireQueries } from './beir.js';
import { ByteSource } from './byte-source.js';
import { decodeUndeclared } from './charset.js';
import { parseJsonLine, readId, readText } from './jsonl.js';
import { readLines } from './lines.js';
import { type FoundQuery, type TopicField, parseTopics } from './topics.js';
import type { Origin, Query } from './types.js';
import { isFolder } from './walk.js';

export interface ReadQueriesOptions {
  /** The part of a TREC topic, or of a line of the authors' `queries.json`, that is the query (`title`). */
  readonly field?: TopicField;
}

/**
 * Reads queries, in the order of the file: BEIR `queries.jsonl` (or the folder that holds it), the authors'
 * `queries.json` (one object with `qid`, `title`, `desc`, `narr` per line), TSV (`id \t text`), TREC topics. The
 * first character decides which.
 */
export async function readQueries(
  path: string,
  { field = 'title' }: ReadQueriesOptions = {},
): Promise<Query[]> {
  const file = (await isFolder(path)) ? await requireQueries(path) : path;
  return closing(ByteSource.open(file), async (source) => {
    const start = (await source.peek(4096))
      .toString('latin1')
      .replace(/^\u00ef\u00bb\u00bf/, '')
      .trimStart();
    const queries = start.startsWith('<')
      ? parseTopics(decodeUndeclared(await source.readAll()), source.name, field)
      : await readRows(
          source,
          start.startsWith('{') ? (row, origin) => parseJson(row, origin, field) : parseTsv,
        );
    return checkDistinct(queries);
  });
}

async function readRows(
  source: ByteSource,
  parse: (row: string, origin: Origin) => Query,
): Promise<FoundQuery[]> {
  const found: FoundQuery[] = [];
  for await (const { text, line } of readLines(source)) {
    if (text.trim() === '') continue;
    const origin = { file: source.name, line };
    const query = parse(text, origin);
    if (query.text.trim() === '') {
      throw badInput(origin, `query ${quote(query.id)} has no text`, 'Give it words or remove the line.');
    }
    found.push({ query, origin });
  }
  return found;
}

const queryExample = '{"_id": "1", "text": "…"}';

function parseJson(row: string, origin: Origin, field: TopicField): Query {
  const object = parseJsonLine(row, origin, queryExample);
  const id = checkId(readId(object, ['_id', 'id', 'qid'], 'query', origin), 'query', origin);
  const parts = 'text' in object || !('title' in object || 'desc' in object) ? ['text'] : field.split('+');
  return { id, text: parts.map((part) => readText(object, [part], origin, queryExample)).join(' ') };
}

function parseTsv(row: string, origin: Origin): Query {
  const cells = row.split('\t');
  // CEDR writes `query \t id \t text`.
  if (cells.length === 3 && cells[0] === 'query') cells.shift();
  if (cells.length !== 2) {
    throw badInput(
      origin,
      `2 columns (id, text) separated by one tab were expected, not ${cells.length}`,
      'Write one query per line as "id<tab>text"; JSONL, TREC topics and queries.json are read too.',
    );
  }
  return { id: checkId(cells[0], 'query', origin), text: cells[1] };
}

function checkDistinct(found: readonly FoundQuery[]): Query[] {
  const lines = new Map<string, number | undefined>();
  for (const { query, origin } of found) {
    if (lines.has(query.id)) {
      throw badInput(
        origin,
        `query id ${quote(query.id)} was given before, on line ${lines.get(query.id)}`,
        'Give every query an id of its own.',
      );
    }
    lines.set(query.id, origin.line);
  }
  return found.map(({ query }) => query);
}
