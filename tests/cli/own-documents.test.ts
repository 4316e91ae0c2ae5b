import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { bertQe, type CliResult } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';
import { jsonLines, refusal, words } from './support.js';

const folder = temporaryFolder();
const subjects = ['backups', 'logins', 'invoices', 'refunds', 'parcels'];

function write(name: string, content: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Runs a command in the folder of the documents. */
function run(...args: string[]): Promise<CliResult> {
  return bertQe(args, { cwd: folder });
}

beforeAll(() => {
  for (let i = 0; i < 50; i++) {
    const subject = subjects[i % 5];
    const body = `How we handle **${subject}**, case ${i}: ask [the desk](https://desk.example/${i}).\n`;
    const name = `notes/${i % 2 ? 'cases/' : ''}page-${i}.md`;
    write(
      name,
      i % 3 ? `# About ${subject} ${i}\n\n${body}` : `---\ntitle: About ${subject} ${i}\n---\n${body}`,
    );
  }
  write('notes/backup plan.html', '<title>The plan</title><p>Tapes go to the vault on Fridays.');
  write('notes/logo.png', '\u0000');
  const rows = subjects.map((subject, i) => `K-${i},${subject},"About ""${subject}"",\nin two lines"`);
  write('table.csv', ['sku,name,description', ...rows].join('\r\n'));
  const objects = subjects.map((subject, i) =>
    JSON.stringify({ key: i, meta: { name: subject }, note: subject }),
  );
  write('objects.jsonl', objects.join('\n'));
});

describe('a folder of Markdown', () => {
  test('is indexed, said how, searched and re-ranked', async () => {
    const indexed = await run('index', 'notes', '--out', 'notes.index', '--json');
    const [said, summary] = indexed.stderr.split('\n');
    expect(said).toBe(
      'Reading 50 Markdown and 1 HTML files of notes: id from the path, title from front matter, the first heading ' +
        'or <title>; skipped 1 other (1 .png).',
    );
    expect(summary).toMatch(/^Indexed 51 documents, .* into notes\.index$/);
    expect(indexed.code).toBe(0);
    const counts = JSON.parse(indexed.stdout) as Record<string, unknown>;
    expect(Object.keys(counts)).toEqual(['index', 'documents', 'terms', 'tokens', 'seconds']);
    expect(counts).toMatchObject({ index: 'notes.index', documents: 51 });

    const found = await run(...words`search vault ${'on fridays'} --index notes.index --depth 2 --json`);
    expect(JSON.parse(found.stdout)).toMatchObject({
      query: 'vault on fridays',
      id: '1',
      results: [{ id: 'backup%20plan.html', rank: 1, score: expect.any(Number) as number }],
    });

    const checked = await run('check', 'notes.index', '--json');
    expect(JSON.parse(checked.stdout)).toMatchObject({
      index: 'notes.index',
      sound: true,
      documents: 51,
      problems: [],
    });
  });

  test('is re-ranked as it is; --json has a line per query', async () => {
    const rerank = words`rerank --documents notes --models TTT --kd 2 --kc 2 --depth 4 --json`;
    const one = await run(...rerank, 'refunds desk', '--top-k', '3');
    expect(one.code).toBe(0);
    const { query, id, results } = JSON.parse(one.stdout) as {
      query: string;
      id: string;
      results: Record<string, unknown>[];
    };
    expect([query, id, results.map(({ rank }) => rank)]).toEqual(['refunds desk', '1', [1, 2, 3]]);
    expect(Object.keys(results[0])).toEqual(['id', 'score', 'rank', 'relevance', 'initialRank', 'passage']);
    expect(results[0].passage).toMatch(/^About refunds \d+ How we handle refunds/);

    write('queries.jsonl', '{"_id": "a", "text": "invoices"}\n{"_id": "b", "text": "logins"}\n');
    const two = await run(...rerank, '--queries', 'queries.jsonl');
    const lines = jsonLines<{ id: string; results: object[] }>(two.stdout);
    expect(lines.map((line) => line.id)).toEqual(['a', 'b']);
    // Documents below the depth have no scores of the models.
    expect(Object.keys(lines[0].results.at(-1)!)).toEqual(['id', 'score', 'rank']);
  });
});

describe('tables', () => {
  test('of CSV are indexed by guessed or named columns', async () => {
    const guessed = await run('index', 'table.csv', '--out', 'table.index');
    expect(guessed.stderr).toMatch(
      /^Reading table\.csv as CSV: id from "sku", title from "name", text from "description"\.\n/,
    );
    expect(guessed.code).toBe(0);
    const fields = words`--title-field sku --text-field ${'name, description'}`;
    const named = await run('index', 'table.csv', ...fields, '--out', 'table.index');
    expect(named.stderr).toMatch(/title from "sku", text from "name", "description"/);
    const found = await run('search', 'refunds', '--index', 'table.index');
    expect(found.stdout).toMatch(/^1 Q0 K-3 1 /);
  });

  test('of JSONL are read by named fields, nested ones too', async () => {
    const fields = ['--id-field', 'key', '--title-field', 'meta.name', '--text-field', 'note'];
    expect((await run('index', 'objects.jsonl', ...fields, '--out', 'objects.index')).code).toBe(0);
    const { stdout } = await run(
      ...words`rerank parcels --documents objects.jsonl ${fields} --models T --json`,
    );
    expect(JSON.parse(stdout)).toMatchObject({ results: [{ id: '4', rank: 1 }] });
  });
});

describe('mistakes are named in one line', () => {
  test.each<[string, RegExp]>([
    ['index notes --text-field body --out x', /--text-field has no effect on Markdown, HTML, text and PDF/],
    ['index table.csv --text-field body --out x', /table\.csv:1: there is no column "body".*"sku"/],
    ['index objects.jsonl --out x', /objects\.jsonl:1: the document has no id.*--id-field/],
    ['index objects.jsonl --id-field key --out x', /objects\.jsonl:1: none of the fields.*--text-field/],
    ['index table.csv --table t --out x', /--table has no effect on csv files/],
    ['index postgres://localhost/x --out x', /postgres:\/\/localhost\/x: name a table with --table/],
    ['search one --query two --index x', /given twice: "one" and --query/],
    ['search one --queries two --index x', /given twice: "one" and --queries/],
    ['rerank one --documents notes --json --out x.run', /--json writes to standard output/],
    ['rerank one --index notes.index --table t', /--table has no effect without --documents/],
    ['rerank one --index notes.index --format csv', /--format has no effect without --documents/],
    ['rerank one --index notes.index --text-field t', /--text-field has no effect without --engine/],
    ['index notes --out x.index --no-scripts', /--no-scripts has no effect without --engine/],
  ])('%s', async (line, message) => {
    expect(refusal(await run(...line.split(' ')))).toMatch(message);
  });
});
