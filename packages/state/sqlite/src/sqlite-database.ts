import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { closed } from '@ravi/state-kit';
import type { Database, Dialect, SqlRow, SqlRunner, SqlValue, TransactionOptions } from '@ravi/state-kit';
import { boundInOrder } from './bound-in-order.ts';
import type { BoundInOrder } from './bound-in-order.ts';
import { retryWhileBusy } from './retry-while-busy.ts';
import { stateError } from './sqlite-errors.ts';

/** Where the database lies and how long to wait for it. */
export interface SqliteDatabaseOptions {
  /** Path of the file, or `:memory:`. */
  readonly file: string;
  /** How long to wait while another process writes. */
  readonly busyTimeoutMs: number;
  /** When `disk`, what asks for it is flushed to the medium; else nothing is. */
  readonly durability: NonNullable<TransactionOptions['durability']>;
}

interface Prepared extends Pick<BoundInOrder, 'arrange'> {
  readonly statement: StatementSync;
}

const dialect: Dialect = {
  sequence: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  text: 'TEXT',
  // A transaction keeps every other writer out.
  holdRows: '',
  jsonField: (column, field) => `json_extract(${column}, '$.${field}')`,
};

/** @throws KernelError `E_STATE_UNAVAILABLE` when the file cannot be opened, `E_STATE_CORRUPT` when it is no database */
export function openSqliteDatabase({ file, busyTimeoutMs, durability }: SqliteDatabaseOptions): Database {
  const connection = connect(file, busyTimeoutMs, durability);
  const statements = new Map<string, Prepared>();
  let last: Promise<unknown> = Promise.resolve();

  /** One at a time: a connection has one transaction, and nobody else may read what it has not committed. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  }

  function run(sql: string, values: readonly SqlValue[] = []): readonly SqlRow[] {
    if (!connection.isOpen) throw closed();
    try {
      const { statement, arrange } = statements.get(sql) ?? prepare(sql);
      return statement.all(...arrange(values));
    } catch (error) {
      throw stateError(error);
    }
  }

  function prepare(sql: string): Prepared {
    const { text, arrange } = boundInOrder(sql);
    const prepared = { statement: connection.prepare(text), arrange };
    statements.set(sql, prepared);
    return prepared;
  }

  const runner: SqlRunner = { all: async (sql, values) => run(sql, values) };

  async function transact<Result>(body: (sql: SqlRunner) => Promise<Result>): Promise<Result> {
    await retryWhileBusy(() => run('BEGIN IMMEDIATE'), busyTimeoutMs);
    try {
      const result = await body(runner);
      run('COMMIT');
      return result;
    } catch (error) {
      if (connection.isOpen && connection.isTransaction) run('ROLLBACK');
      throw error;
    }
  }

  return {
    dialect,
    all: (sql, values) => inTurn(() => retryWhileBusy(() => run(sql, values), busyTimeoutMs)),
    transaction: (body, options = {}) =>
      inTurn(async () => {
        if (durability === 'process' || options.durability !== 'process') return transact(body);
        run('PRAGMA synchronous = NORMAL');
        try {
          return await transact(body);
        } finally {
          if (connection.isOpen) run('PRAGMA synchronous = FULL');
        }
      }),
    [Symbol.asyncDispose]: () =>
      inTurn(async () => {
        if (connection.isOpen) connection.close();
      }),
  };
}

function connect(file: string, timeout: number, durability: SqliteDatabaseOptions['durability']): DatabaseSync {
  let connection: DatabaseSync | undefined;
  try {
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    connection = new DatabaseSync(file, { timeout });
    // Readers never wait for a writer, nor it for them. The mode stays with the file.
    connection.exec('PRAGMA journal_mode = WAL');
    connection.exec(`PRAGMA synchronous = ${durability === 'disk' ? 'FULL' : 'NORMAL'}`);
    // Once it is open nobody waits in SQLite any more, which would stop the event loop.
    connection.exec('PRAGMA busy_timeout = 0');
    return connection;
  } catch (error) {
    connection?.close();
    throw stateError(error);
  }
}
