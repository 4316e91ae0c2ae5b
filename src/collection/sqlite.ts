import { BertQeError, reasonOf } from '../common/errors.js';
import { badInput, quote } from './bad-input.js';
import { RowReader } from './fields.js';
import type { ReaderOptions, SourcedDocument } from './sourced-document.js';

/** The part of a database that holds the documents: a table or view, or the rows of a query. */
export interface DatabaseOptions {
  readonly table?: string | undefined;
  readonly sql?: string | undefined;
}

/** The start of every SQLite file. */
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
  { table, sql, fields, onGuess }: DatabaseOptions & ReaderOptions,
): AsyncGenerator<SourcedDocument[]> {
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
    let columns: string[] = [];
    let batch: SourcedDocument[] = [];
    for (const row of statement.iterate()) {
      if (reader === undefined) {
        columns = Object.keys(row);
        reader = new RowReader(columns, fields, origin);
        onGuess?.(
          `Reading ${chosen === undefined ? 'the rows of a query' : `table ${quote(chosen)}`} of ${path}: ${reader.description}.`,
        );
      }
      batch.push(
        reader.read(
          columns.map((name) => row[name]),
          origin,
        ),
      );
      if (batch.length < batchRows) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  } catch (error) {
    throw isSqliteError(error)
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
    throw new BertQeError(
      'missing',
      `${path}: SQLite is read by Node 22.13 or newer, and this is ${process.version}. Use a newer Node, or ` +
        `convert the table to CSV: sqlite3 -header -csv ${path} "select * from TABLE" > TABLE.csv`,
      { cause },
    );
  } finally {
    process.emitWarning = emitWarning;
  }
}

function onlyTable(database: SqliteDatabase, path: string): string {
  const query =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'";
  const names = Array.from(database.prepare(query).iterate(), ({ name }) => String(name)).toSorted();
  if (names.length === 1) return names[0]!;
  throw badInput(
    { file: path },
    names.length === 0
      ? 'the database has no table'
      : `the database has ${names.length} tables: ${names
          .slice(0, 10)
          .map((name) => quote(name))
          .join(', ')}`,
    'Name one with --table, or select rows with --sql.',
  );
}

function isSqliteError(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'ERR_SQLITE_ERROR';
}
