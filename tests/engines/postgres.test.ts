import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDocuments, type ReadDocumentsOptions } from '../../src/collection/index.js';
import { bertQe } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';

/** The folder of the server's programs; distributions keep it out of the path. */
const programs = ['/usr/lib/postgresql', '/usr/local/opt/postgresql', '/opt/homebrew/opt/postgresql']
  .flatMap((folder) =>
    existsSync(folder) ? ['.', ...readdirSync(folder)].map((version) => join(folder, version, 'bin')) : [],
  )
  .find((folder) => existsSync(join(folder, 'initdb')));

const port = 16_432;
const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
const folder = temporaryFolder();

/** Runs a program of the server, which refuses to run as root. */
function run(program: string, ...args: string[]): void {
  const command = [join(programs!, program), ...args];
  const isRoot = process.getuid?.() === 0;
  const [file, ...others] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
  execFileSync(file, others, { stdio: 'ignore', cwd: tmpdir() });
}

const articles = `
  create schema shop;
  create table shop."All Articles" (id bigint, name text, body text, tags text[]);
  insert into shop."All Articles"
    select i, 'Title ' || i, 'about refunds ' || i, array['a', 'b'] from generate_series(1, 1000) i`;

async function read(options: ReadDocumentsOptions) {
  const documents = [];
  for await (const { id, title, text } of readDocuments(url, options)) {
    documents.push(title === undefined ? { id, text } : { id, title, text });
  }
  return documents;
}

const name = programs ? 'Postgres' : 'Postgres (skipped: its server is not installed)';

describe.skipIf(!programs)(name, () => {
  const data = mkdtempSync(join(tmpdir(), 'bert-qe-postgres-'));

  beforeAll(() => {
    if (process.getuid?.() === 0) spawnSync('chown', ['postgres', data]);
    chmodSync(data, 0o700);
    run('initdb', '-A', 'trust', '-U', 'postgres', '-D', data);
    const settings = `-p ${port} -k ${data} -c fsync=off -c listen_addresses=127.0.0.1`;
    run('pg_ctl', '-D', data, '-o', settings, '-l', join(data, 'log'), '-w', 'start');
    const connection = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-v', 'ON_ERROR_STOP=1'];
    run('psql', ...connection, '-c', articles);
  });

  afterAll(() => {
    run('pg_ctl', '-D', data, '-m', 'immediate', 'stop');
    rmSync(data, { recursive: true, force: true });
  });

  it('gives the rows of a table and of a query', async () => {
    const table = await read({ table: 'shop.All Articles', fields: { text: ['body', 'tags'] } });
    expect(table).toHaveLength(1000);
    expect(table[999]).toEqual({ id: '1000', title: 'Title 1000', text: 'about refunds 1000\na b' });
    const sql = 'select id, body from shop."All Articles" where id > 998 order by id;';
    expect(await read({ sql })).toEqual([
      { id: '999', text: 'about refunds 999' },
      { id: '1000', text: 'about refunds 1000' },
    ]);
  });

  it('is not changed, whatever the query', async () => {
    await expect(read({ sql: `select nextval('s') as id, 'x' as text` })).rejects.toThrow(/Postgres says/);
    await expect(read({ sql: 'select 1; drop table shop."All Articles"' })).rejects.toThrow(
      /read-only transaction/,
    );
    expect(await read({ table: 'shop.All Articles' })).toHaveLength(1000);
  });

  it('is indexed by the command line', async () => {
    const index = join(folder, 'articles.index');
    const { code, stderr } = await bertQe(['index', url, '--table', 'shop.All Articles', '--out', index]);
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Indexed 1,000 documents/) as string,
    });
    const found = await bertQe(['search', 'refunds 77', '--index', index, '--depth', '1']);
    expect(found.stdout).toMatch(/^1 Q0 77 1 /);
    const missing = await bertQe(['index', url, '--table', 'gone', '--out', join(folder, 'x')]);
    expect(missing.stderr).toMatch(/^bert-qe: .*Postgres says: relation "gone" does not exist.*\n$/);
    expect(missing.code).toBe(2);
  });
});
