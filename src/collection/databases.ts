import { failureError, missingError, reasonOf, usageError } from '../common/errors.js';
import { systemCode } from '../common/io-errors.js';
import { optionalPackage } from '../common/optional-package.js';
import { badInput, quote, quoteAll } from './bad-input.js';
import { RowReader } from './fields.js';
import type { ReaderOptions, SourcedDocument } from './sourced-document.js';

/** The part of a database that holds the documents: a table or view, or the rows of a query. */
export interface DatabaseOptions {
  readonly table?: string | undefined;
  readonly sql?: string | undefined;
}

/** The rows that are read, in words. */
function rowsOf(table: string | undefined, database: string): string {
  return `${table === undefined ? 'the rows of a query' : `table ${table}`} of ${database}`;
}

export const sqliteMagic = 'SQLite format 3\0';

const batchRows = 200;

/** The part of `node:sqlite` that is used. Older versions of Node do not have the module. */
interface SqliteModule {
  readonly DatabaseSync: new (path: string, options: { readOnly: boolean }) => SqliteDatabase;
}

interface SqliteDatabase {
  prepare(sql: string): SqliteStatement;
  close(): void;
}

interface SqliteStatement {
  setReadBigInts(enabled: boolean): void;
  iterate(): Iterable<Record<string, unknown>>;
}

/** Reads a document per row of a table, or of a query. */
export async function* readSqlite(
  path: string,
  options: DatabaseOptions & ReaderOptions,
): AsyncGenerator<SourcedDocument[]> {
  const { table, sql } = options;
  const { DatabaseSync } = await loadSqlite(path);
  const origin = { file: path };
  let database: SqliteDatabase | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    const chosen = sql === undefined ? (table ?? onlyTable(database, path)) : undefined;
    const statement = database.prepare(sql ?? `SELECT * FROM "${chosen!.replaceAll('"', '""')}"`);
    // Large numbers would be refused otherwise.
    statement.setReadBigInts(true);
    let reader: RowReader | undefined;
    let batch: SourcedDocument[] = [];
    for (const row of statement.iterate()) {
      reader ??= new RowReader(Object.keys(row), origin, rowsOf(chosen && quote(chosen), path), options);
      batch.push(reader.read(Object.values(row), origin));
      if (batch.length < batchRows) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  } catch (error) {
    throw systemCode(error) === 'ERR_SQLITE_ERROR'
      ? badInput(origin, `SQLite says: ${reasonOf(error)}`, 'Check the file, --table and --sql.', error)
      : error;
  } finally {
    database?.close();
  }
}

async function loadSqlite(path: string): Promise<SqliteModule> {
  const { emitWarning } = process;
  // Node 22 announces that the module is new, which is no news for the user.
  process.emitWarning = ((warning: string | Error, ...others: []) => {
    if (!/SQLite is an experimental/.test(String(warning))) emitWarning.call(process, warning, ...others);
  }) as typeof emitWarning;
  try {
    const name: string = 'node:sqlite';
    return (await import(name)) as SqliteModule;
  } catch (cause) {
    throw missingError(
      `${path}: SQLite is read by Node 22.13 or newer, and this is ${process.version}. Use a newer Node, or ` +
        `convert the table to CSV: sqlite3 -header -csv ${path} "select * from TABLE" > TABLE.csv`,
      cause,
    );
  } finally {
    process.emitWarning = emitWarning;
  }
}

function onlyTable(database: SqliteDatabase, path: string): string {
  const query =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'";
  const names = Array.from(database.prepare(query).iterate(), ({ name }) => String(name)).toSorted();
  if (names.length === 1) return names[0];
  throw badInput(
    { file: path },
    names.length === 0
      ? 'the database has no table'
      : `the database has ${names.length} tables: ${quoteAll(names.slice(0, 10))}`,
    'Name one with --table, or select rows with --sql.',
  );
}

/** The part of a client of the package `pg` that is used. */
export interface PostgresClient {
  connect(): Promise<unknown>;
  query(options: {
    readonly text: string;
    readonly rowMode: 'array';
  }): Promise<{ readonly rows: readonly unknown[][]; readonly fields: readonly { readonly name: string }[] }>;
  end(): Promise<unknown>;
}

export function isPostgresUrl(path: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(path);
}

/**
 * Reads a document per row of a table or query. A cursor in a read-only transaction gives the rows in batches, so
 * memory does not grow with their number.
 */
export async function* readPostgres(
  url: string,
  options: DatabaseOptions & ReaderOptions,
  open: (url: string) => Promise<PostgresClient> = openClient,
): AsyncGenerator<SourcedDocument[]> {
  const { table, sql } = options;
  const name = withoutPassword(url);
  const origin = { file: name };
  if (sql === undefined && table === undefined) {
    throw usageError(`${name}: name a table with --table, or select rows with --sql.`);
  }
  const client = await open(url);
  try {
    await client.connect().catch((cause: unknown) => {
      throw failureError(`${name}: no connection: ${reason(cause)}. Check the address.`, cause);
    });
    const run = (text: string) =>
      client.query({ text, rowMode: 'array' }).catch((cause: unknown) => {
        throw badInput(origin, `Postgres says: ${reason(cause)}`, 'Check --table and --sql.', cause);
      });
    await run('BEGIN READ ONLY');
    const query = sql?.replace(/[\s;]+$/, '') ?? `SELECT * FROM ${quoteTable(table!)}`;
    await run(`DECLARE bert_qe NO SCROLL CURSOR FOR ${query}`);
    let reader: RowReader | undefined;
    for (;;) {
      const { rows, fields } = await run(`FETCH ${batchRows} FROM bert_qe`);
      const columns = fields.map((column) => column.name);
      reader ??= new RowReader(columns, origin, rowsOf(table, name), options);
      yield rows.map((row) => reader!.read(row, origin));
      if (rows.length < batchRows) break;
    }
  } finally {
    await client.end();
  }
}

async function openClient(url: string): Promise<PostgresClient> {
  const name: string = 'pg';
  const load = () => import(name) as Promise<PostgresPackage>;
  const pg = await optionalPackage(name, 'Reading from Postgres', load);
  return new pg.default.Client({ connectionString: url, application_name: 'bert-qe' });
}

interface PostgresPackage {
  readonly default: {
    readonly Client: new (options: { connectionString: string; application_name: string }) => PostgresClient;
  };
}

/** A failure to connect to several addresses has its reasons inside. */
function reason(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  return reasonOf(first).replaceAll('\n', ' ');
}

/** `schema.table` with each part quoted; one that is quoted already stays. */
function quoteTable(table: string): string {
  if (table.includes('"')) return table;
  return `"${table.split('.').join('"."')}"`;
}

function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^:/@]*):[^@/]*@/, '$1@').replace(/([?&]password=)[^&]*/i, '$1…');
}
