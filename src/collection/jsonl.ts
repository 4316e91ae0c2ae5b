import { reasonOf } from '../common/errors.js';
import { badInput, checkId, quote } from './bad-input.js';
import type { ByteSource } from './byte-source.js';
import { linesOf, readLineBlocks } from './lines.js';
import type { SourcedDocument } from './sourced-document.js';
import type { Origin } from './types.js';

const idFields = ['_id', 'id', 'docno'];
const textFields = ['text', 'contents', 'body'];
const documentExample = '{"_id": "7", "title": "…", "text": "…"}';

/** Reads one JSON object per line: `_id` (or `id`, `docno`), optional `title`, `text` (or `contents`, `body`). */
export async function* readJsonl(source: ByteSource): AsyncGenerator<SourcedDocument[]> {
  const file = source.name;
  for await (const block of readLineBlocks(source)) {
    const documents: SourcedDocument[] = [];
    for (const { text, line } of linesOf(block)) {
      if (text === '' || text.trim() === '') continue;
      documents.push(toDocument(text, { file, line }));
    }
    if (documents.length > 0) yield documents;
  }
}

function toDocument(json: string, origin: Origin): SourcedDocument {
  const object = parseJsonObject(json, origin, documentExample);
  const id = checkId(readId(object, idFields, 'document', origin), 'document', origin);
  const title = object.title ?? undefined;
  if (title !== undefined && typeof title !== 'string') {
    throw wrongType('title', title, origin, documentExample);
  }
  const text = readText(object, textFields, origin, documentExample);
  return title === undefined ? { id, text, origin } : { id, title, text, origin };
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Parses the object of a line; anything else is refused with an example of what is expected. */
export function parseJsonObject(json: string, origin: Origin, example: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    const isArray = origin.line === 1 && json.trimStart().startsWith('[');
    throw badInput(
      origin,
      `not valid JSON (${reasonOf(error).replaceAll('\n', ' ')})`,
      isArray
        ? `Write one object per line, such as ${example}, not one array (jq -c '.[]' converts it).`
        : `Mend or remove the line; each line is one object such as ${example}.`,
      error,
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badInput(origin, `a JSON object was expected, not ${describe(value)}`, `Write it as ${example}.`);
  }
  return value as JsonObject;
}

/** The first of the named fields that is present, as a string; whole numbers are accepted. */
export function readId(
  object: JsonObject,
  fields: readonly string[],
  kind: 'document' | 'query',
  origin: Origin,
): string {
  const field = fields.find((name) => object[name] !== undefined);
  const value = field === undefined ? undefined : object[field];
  if (typeof value === 'string') return value;
  if (Number.isSafeInteger(value)) return String(value);
  throw badInput(
    origin,
    field === undefined
      ? `the ${kind} has no id: none of the fields ${fields.map((name) => quote(name)).join(', ')} is there`
      : `the ${kind} id ${quote(field)} is ${describe(value)}, but a string was expected`,
    `Add a field "${fields[0]}" with an id that no other ${kind} has.`,
  );
}

/** The first of the named fields that is present, which must be a string. */
export function readText(
  object: JsonObject,
  fields: readonly string[],
  origin: Origin,
  example: string,
): string {
  for (const field of fields) {
    const value = object[field];
    if (typeof value === 'string') return value;
    if (value !== undefined) throw wrongType(field, value, origin, example);
  }
  throw badInput(
    origin,
    `none of the fields ${fields.map((name) => quote(name)).join(', ')} is there`,
    `Add the text, as in ${example}; it may be empty ("").`,
  );
}

function wrongType(field: string, value: unknown, origin: Origin, example: string): Error {
  return badInput(
    origin,
    `${quote(field)} is ${describe(value)}, but a string was expected`,
    `Write it as in ${example}.`,
  );
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
