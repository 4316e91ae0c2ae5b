import { describe, expect, it } from 'vitest';
import type { DocumentFields } from '../../src/collection/index.js';
import { readJsonl } from '../../src/collection/jsonl.js';
import { collect, expectRefusal, sourceOf } from './support.js';

async function read(...lines: string[]) {
  return readFields({}, ...lines);
}

async function readFields(fields: DocumentFields, ...lines: string[]) {
  return (await collect(readJsonl(sourceOf(lines.join('\n')), { fields }))).flat();
}

describe('JSONL documents', () => {
  it('are read under every name that id and text go by', async () => {
    expect(
      await read(
        '{"_id": "a", "title": "T", "text": "one", "metadata": {"x": 1}}',
        '{"id": "b", "contents": "two"}',
        '',
        '{"docno": "c", "title": "", "body": "three"}',
        '{"_id": 17, "title": null, "text": ""}\r',
      ),
    ).toEqual([
      { id: 'a', title: 'T', text: 'one', origin: { file: 'test.txt', line: 1 } },
      { id: 'b', text: 'two', origin: { file: 'test.txt', line: 2 } },
      { id: 'c', title: '', text: 'three', origin: { file: 'test.txt', line: 4 } },
      { id: '17', text: '', origin: { file: 'test.txt', line: 5 } },
    ]);
  });

  const good = '{"_id": "ok", "text": ""}';
  it.each([
    [
      '{"_id": "x", "text": "unfinished',
      ['test.txt:2: not valid JSON', 'Mend or remove the line', '"_id": "7"'],
    ],
    ['["_id"]', ['test.txt:2: a JSON object was expected, not an array']],
    ['"text"', ['test.txt:2: a JSON object was expected, not a string']],
    ['null', ['test.txt:2: a JSON object was expected, not null']],
    [
      '{"title": "T", "text": "t"}',
      ['test.txt:2: the document has no id', '"_id", "id", "docno"', 'Add a field "_id"'],
    ],
    ['{"_id": 1.5, "text": "t"}', ['test.txt:2: the document id "_id" is a number', 'a string was expected']],
    ['{"_id": null, "text": "t"}', ['test.txt:2: the document id "_id" is null']],
    ['{"_id": "", "text": "t"}', ['test.txt:2: the document id is empty', 'Give every document an id']],
    [
      '{"_id": "a b", "text": "t"}',
      ['test.txt:2: the document id "a b" contains white space', 'TREC runs', 'Replace the white space'],
    ],
    ['{"_id": "a\\n", "text": "t"}', ['test.txt:2: the document id "a\\n" contains white space']],
    [
      '{"_id": "x"}',
      ['test.txt:2: none of the fields "text", "contents", "body" is there', 'it may be empty'],
    ],
    ['{"_id": "x", "text": 5}', ['test.txt:2: "text" is a number, but a string was expected']],
    ['{"_id": "x", "text": ["a"]}', ['test.txt:2: "text" is an array']],
    ['{"_id": "x", "text": null}', ['test.txt:2: "text" is null']],
    ['{"_id": "x", "title": {}, "text": ""}', ['test.txt:2: "title" is an object']],
  ])('refuse %s with file, line and fix', async (line, parts) => {
    await expectRefusal(read(good, line), parts);
  });

  it('written as one array over several lines are told how to convert', async () => {
    await expectRefusal(read('[', good, ']'), [
      'test.txt:1: not valid JSON',
      'one object per line',
      "jq -c '.[]'",
    ]);
  });
});

describe('fields that are named', () => {
  const line =
    '{"sku": 7, "a.b": "dotted", "meta": {"name": "N", "tags": ["x", "y"]}, "on": true, "text": "t", "no": null}';

  it('may be nested, several, numbers and lists', async () => {
    const fields = { id: 'sku', title: 'meta.name', text: ['meta.tags', 'no', 'a.b', 'on', 'gone'] };
    expect(await readFields(fields, line)).toMatchObject([
      { id: '7', title: 'N', text: 'x y\ndotted\ntrue' },
    ]);
    expect(await readFields({ id: 'sku' }, line)).toMatchObject([{ id: '7', text: 't' }]);
    const [untitled] = await readFields({ id: 'sku', title: 'gone' }, line);
    expect(untitled).not.toHaveProperty('title');
  });

  it.each<[DocumentFields, string[]]>([
    [{ id: 'key' }, ['there is no field "key"', '"sku", "a.b", "meta"', '--id-field']],
    [{ id: 'sku', text: ['x', 'no'] }, ['none of the fields "x", "no" is there', '--text-field']],
    [{ id: 'sku', text: 'meta' }, ['"meta" is an object', '--text-field meta.name']],
    [{ id: 'sku', text: 'meta.name.first' }, ['there is no field "meta.name.first"']],
    [{ id: 'constructor' }, ['there is no field "constructor"']],
  ])('%j: where they are not there, what is', async (fields, parts) => {
    await expectRefusal(readFields(fields, line), ['test.txt:1: ', ...parts]);
  });
});
