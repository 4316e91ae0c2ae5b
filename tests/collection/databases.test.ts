import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readDocuments, type ReadDocumentsOptions } from '../../src/collection/index.js';
import { type DatabaseOptions, readPostgres, type PostgresClient } from '../../src/collection/databases.js';
import { collect, expectRefusal, scratchFolder, withoutOrigin } from './support.js';

const scratch = scratchFolder();
const sqlite = await import('node:sqlite' as string).then(
  (module: unknown) =>
    module as { DatabaseSync: new (path: string) => { exec(sql: string): void; close(): void } },
  () => undefined,
);

async function read(path: string, options: ReadDocumentsOptions = {}) {
  const said: string[] = [];
  const documents = await collect(
    readDocuments(path, { ...options, onGuess: (sentence) => said.push(sentence) }),
  );
  return { documents: documents.map(withoutOrigin), said };
}

describe('SQLite', () => {
  it.skipIf(sqlite !== undefined)('is refused by older versions of Node, with a way', async () => {
    const path = scratch('old.db', 'SQLite format 3\0 and more');
    await expectRefusal(
      read(path),
      ['old.db: SQLite is read by Node 22.13', process.version, 'sqlite3 -header -csv'],
      'missing',
    );
  });

  const make = (name: string, sql: string): string => {
    const database = new sqlite!.DatabaseSync(scratch(name));
    database.exec(sql);
    database.close();
    return scratch(name);
  };

  it.runIf(sqlite !== undefined)(
    'gives a document per row of its only table, of a named one, or of a query',
    async () => {
      const rows = Array.from(
        { length: 450 },
        (_, i) => `(${i + 1}, 'Title ${i}', 'text ${i}', 9007199254740993)`,
      );
      const path = make(
        'one',
        `create table notes(id integer primary key, title text, body text, big int); insert into notes values ${rows.join()}`,
      );
      const { documents, said } = await read(path);
      expect(documents).toHaveLength(450);
      expect(documents[449]).toEqual({ id: '450', title: 'Title 449', text: 'text 449' });
      expect(said).toEqual([
        `Reading table "notes" of ${path}: id from "id", title from "title", text from "body".`,
      ]);
      const sql = 'select id, body || big as words from notes where id < 3';
      const queried = await read(path, { sql });
      expect(queried.documents).toEqual([
        { id: '1', text: 'text 09007199254740993' },
        { id: '2', text: 'text 19007199254740993' },
      ]);
      expect(queried.said[0]).toContain('Reading the rows of a query');
      const two = make(
        'two',
        'create table a(id, text); create table "b ""x"(id, text, no); insert into "b ""x" values (1, null, 2)',
      );
      await expectRefusal(read(two), ['the database has 2 tables: "a", "b \\"x"', '--table']);
      expect((await read(two, { table: 'b "x' })).documents).toEqual([{ id: '1', text: '' }]);
      expect((await read(two, { table: 'a' })).documents).toEqual([]);
    },
  );

  it.runIf(sqlite !== undefined)('says what is wrong', async () => {
    const path = make('wrong', "create table t(id, text); insert into t values (1, x'00ff')");
    await expectRefusal(read(path), ['column "text" of row 1 holds binary data']);
    await expectRefusal(read(path, { table: 'gone' }), ['SQLite says: no such table: gone', '--table']);
    await expectRefusal(read(path, { fields: { id: 'key' } }), ['there is no column "key"', '"id", "text"']);
    await expectRefusal(read(path, { table: 't', sql: 'select 1' }), ['either --table or --sql'], 'usage');
    await expectRefusal(read(scratch('cut.db', 'SQLite format 3\0')), ['cut.db: SQLite says']);
  });

  it.runIf(sqlite !== undefined)('is read without a warning of Node', () => {
    const path = make('quiet', 'create table t(id, text); insert into t values (1, 2)');
    const script = `import { readDocuments } from './src/collection/index.ts'; for await (const { id } of readDocuments(${JSON.stringify(path)})) console.log(id);`;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', script],
      { encoding: 'utf8' },
    );
    expect([stdout, stderr]).toEqual(['1\n', '']);
  });
});

/** A client that answers FETCH from rows, and keeps what it was asked. */
class FakeClient implements PostgresClient {
  readonly asked: string[] = [];
  ended = false;

  constructor(
    private readonly columns: readonly string[],
    private readonly rows: unknown[][],
    private readonly failure?: { readonly at: RegExp; readonly error: Error },
  ) {}

  async connect(): Promise<void> {
    this.fail('connect');
  }

  async query({ text }: { text: string }) {
    this.asked.push(text);
    this.fail(text);
    const count = Number(/^FETCH (\d+)/.exec(text)?.[1] ?? 0);
    return { rows: this.rows.splice(0, count), fields: this.columns.map((name) => ({ name })) };
  }

  async end(): Promise<void> {
    this.ended = true;
  }

  private fail(step: string): void {
    if (this.failure?.at.test(step)) throw this.failure.error;
  }
}

describe('Postgres', () => {
  const url = 'postgres://me:secret@db.example/shop';
  const readFrom = async (client: FakeClient, options: DatabaseOptions) => {
    const said: string[] = [];
    const batches = await collect(
      readPostgres(
        url,
        { ...options, fields: {}, onGuess: (sentence) => said.push(sentence) },
        async () => client,
      ),
    );
    return { documents: batches.flat().map(withoutOrigin), batches, said };
  };

  it('gives a document per row, in batches, in a read-only transaction', async () => {
    const rows = Array.from({ length: 450 }, (_, i) => [i, `Title ${i}`, new Date(0), ['a', null, 'b']]);
    const client = new FakeClient(['id', 'name', 'made', 'body'], rows);
    const { documents, batches, said } = await readFrom(client, { sql: 'select * from articles ; ' });
    expect(batches.map((batch) => batch.length)).toEqual([200, 200, 50]);
    expect(documents[7]).toEqual({ id: '7', title: 'Title 7', text: 'a b' });
    expect(client.asked.slice(0, 3)).toEqual([
      'BEGIN READ ONLY',
      'DECLARE bert_qe NO SCROLL CURSOR FOR select * from articles',
      'FETCH 200 FROM bert_qe',
    ]);
    expect(client.ended).toBe(true);
    expect(said).toEqual([
      'Reading the rows of a query of postgres://me@db.example/shop: id from "id", title from "name", text from "body".',
    ]);
  });

  it('quotes the names of tables', async () => {
    const client = new FakeClient(['id', 'text'], []);
    await readFrom(client, { table: 'public.My Notes' });
    expect(client.asked[1]).toContain('SELECT * FROM "public"."My Notes"');
  });

  it('says what is wrong, without the password, and hangs up', async () => {
    const refused = new FakeClient([], [], { at: /connect/, error: new Error('connect ECONNREFUSED') });
    await expectRefusal(
      readFrom(refused, { table: 't' }),
      ['postgres://me@db.example/shop: no connection: connect ECONNREFUSED'],
      'failure',
    );
    const wrong = new FakeClient([], [], { at: /DECLARE/, error: new Error('relation "t" does not exist') });
    await expectRefusal(readFrom(wrong, { table: 't' }), [
      'Postgres says: relation "t" does not exist',
      '--table',
    ]);
    expect([refused.ended, wrong.ended]).toEqual([true, true]);
    await expectRefusal(readFrom(wrong, {}), ['name a table with --table'], 'usage');
  });
});
