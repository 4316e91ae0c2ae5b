import { reasonOf } from '../common/errors.js';
import { isJsonObject, type JsonObject } from '../common/json.js';
import { badInput, quote, quoteAll } from './bad-input.js';
import type { ByteSource } from './byte-source.js';
import { namedTextFields, valueText } from './fields.js';
import { linesOf, readLineBlocks } from './lines.js';
import {
  type DocumentFields,
  type ReaderOptions,
  type SourcedDocument,
  sourcedDocument,
} from './sourced-document.js';
import type { Origin } from './types.js';

const idFields = ['_id', 'id', 'docno'];
const textFields = ['text', 'contents', 'body'];
const documentExample = '{"_id": "7", "title": "…", "text": "…"}';

/**
 * Reads one JSON object per line: `_id` (or `id`, `docno`), optional `title`, `text` (or `contents`, `body`), or the
 * fields that the user named.
 */
export async function* readJsonl(
  source: ByteSource,
  { fields }: ReaderOptions,
): AsyncGenerator<SourcedDocument[]> {
  const file = source.name;
  for await (const block of readLineBlocks(source)) {
    const lines = linesOf(block).filter(({ text }) => text.trim() !== '');
    yield lines.map(({ text, line }) => toDocument(text, fields, { file, line }));
  }
}

function toDocument(json: string, fields: DocumentFields, origin: Origin): SourcedDocument {
  const object = parseJsonLine(json, origin, documentExample);
  const id =
    fields.id === undefined
      ? readId(object, idFields, 'document', origin)
      : present(object, [fields.id], '--id-field', origin);
  const title = readTitle(object, fields, origin);
  const names = namedTextFields(fields);
  const text =
    names === undefined
      ? readText(object, textFields, origin, documentExample)
      : present(object, names, '--text-field', origin);
  return sourcedDocument(id, title, text, origin);
}

function readTitle(object: JsonObject, fields: DocumentFields, origin: Origin): string | undefined {
  if (fields.title !== undefined)
    return namedText(object, fields.title, '--title-field', origin) || undefined;
  const title = object.title ?? undefined;
  if (title === undefined || typeof title === 'string') return title;
  throw wrongType('title', title, origin, documentExample);
}

/** The joined text of fields that the user named; a document may lack some of them, not all. */
function present(object: JsonObject, names: readonly string[], option: string, origin: Origin): string {
  if (names.every((name) => (valueAt(object, name) ?? undefined) === undefined)) {
    const there = Object.keys(object).slice(0, 12);
    throw badInput(
      origin,
      names.length === 1
        ? `there is no field ${quote(names[0])}`
        : `none of the fields ${quoteAll(names)} is there`,
      `Name one of ${quoteAll(there)} with ${option}.`,
    );
  }
  return names
    .map((name) => namedText(object, name, option, origin))
    .filter(Boolean)
    .join('\n');
}

/** The text of a field that the user named; empty where it is absent. */
function namedText(object: JsonObject, name: string, option: string, origin: Origin): string {
  const value = valueAt(object, name);
  const text = valueText(value);
  if (text !== undefined) return text;
  throw badInput(
    origin,
    `${quote(name)} is ${describe(value)}, but text was expected`,
    `Name a field inside it: ${option} ${name}.${Object.keys(value as object)[0] ?? 'FIELD'}.`,
  );
}

/** The value of a field; dots lead into nested objects, unless a field has just that name. */
function valueAt(object: JsonObject, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name];
  let value: unknown = object;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as JsonObject)[part];
  }
  return value;
}

/** Parses the object of a line; anything else is refused with an example of what is expected. */
export function parseJsonLine(json: string, origin: Origin, example: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    const isArray = origin.line === 1 && json.trimStart().startsWith('[');
    throw badInput(
      origin,
      `not valid JSON (${reasonOf(error)})`,
      isArray
        ? `Write one object per line, such as ${example}, not one array (jq -c '.[]' converts it).`
        : `Mend or remove the line; each line is one object such as ${example}.`,
      error,
    );
  }
  if (!isJsonObject(value)) {
    throw badInput(origin, `a JSON object was expected, not ${describe(value)}`, `Write it as ${example}.`);
  }
  return value;
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
      ? `the ${kind} has no id: none of the fields ${quoteAll(fields)} is there`
      : `the ${kind} id ${quote(field)} is ${describe(value)}, but a string was expected`,
    `Add a field "${fields[0]}" with an id that no other ${kind} has${kind === 'document' ? ', or name its field with --id-field' : ''}.`,
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
    `none of the fields ${quoteAll(fields)} is there`,
    `Add the text, as in ${example}; it may be empty ("").${fields === textFields ? ' Or name its field with --text-field.' : ''}`,
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
