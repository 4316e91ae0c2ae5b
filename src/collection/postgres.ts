import { BertQeError, reasonOf } from '../common/errors.js';
import { optionalPackage } from '../common/optional-package.js';
import { badInput } from './bad-input.js';
import { RowReader } from './fields.js';
import type { ReaderOptions, SourcedDocument } from './sourced-document.js';
import type { DatabaseOptions } from './sqlite.js';

const batchRows = 200;

/** The part of a client of the package `pg` that is used. */
export interface PostgresClient {
  connect(): Promise<unknown>;
  query(options: {
    readonly text: string;
    readonly rowMode: 'array';
  }): Promise<{ readonly rows: readonly unknown[][]; readonly fields: readonly { readonly name: string }[] }>;
  end(): Promise<unknown>;
}

/** True for the address of a Postgres database. */
export function isPostgresUrl(path: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(path);
}

/**
 * Reads a document per row of a table or query. A cursor in a read-only transaction gives the rows in batches, so
 * memory does not grow with their number.
 */
export async function* readPostgres(
  url: string,
  { table, sql, fields, onGuess }: DatabaseOptions & ReaderOptions,
  open: (url: string) => Promise<PostgresClient> = openClient,
): AsyncGenerator<SourcedDocument[]> {
  const name = withoutPassword(url);
  const origin = { file: name };
  if (sql === undefined && table === undefined) {
    throw new BertQeError('usage', `${name}: name a table with --table, or select rows with --sql.`);
  }
  const client = await open(url);
  try {
    await client.connect().catch((cause: unknown) => {
      throw new BertQeError('failure', `${name}: no connection: ${reason(cause)}. Check the address.`, {
        cause,
      });
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
      const { rows, fields: columns } = await run(`FETCH ${batchRows} FROM bert_qe`);
      if (reader === undefined) {
        reader = new RowReader(
          columns.map((column) => column.name),
          fields,
          origin,
        );
        onGuess?.(
          `Reading ${table === undefined ? 'the rows of a query' : `table ${table}`} of ${name}: ${reader.description}.`,
        );
      }
      if (rows.length > 0) yield rows.map((row) => reader!.read(row, origin));
      if (rows.length < batchRows) break;
    }
  } finally {
    await client.end();
  }
}

async function openClient(url: string): Promise<PostgresClient> {
  const name: string = 'pg';
  const pg = await optionalPackage(
    name,
    'Reading from Postgres',
    () => import(name) as Promise<PostgresPackage>,
  );
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
  return table
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');
}

function withoutPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^:/@]*):[^@/]*@/, '$1@').replace(/([?&]password=)[^&]*/i, '$1…');
}
