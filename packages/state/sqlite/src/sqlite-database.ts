import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { closed } from '@ravi/state-kit';
import type { Database, Dialect, SqlRow, SqlRunner, SqlValue } from '@ravi/state-kit';
import { checkFile, checkPages, identityOf } from './database-file.ts';
import { stateError, isBusy } from './sqlite-errors.ts';
import { sqliteWordSearch } from './sqlite-word-search.ts';

/** Options of {@link openSqliteDatabase}. */
export interface SqliteDatabaseOptions {
  /** Path of the file, or `:memory:`. */
  readonly file: string;
  /** Milliseconds to wait while another process writes. */
  readonly busyTimeoutMs: number;
  /** `disk` flushes the transactions that ask for it; `process` flushes none. */
  readonly durability: 'disk' | 'process';
  /** Returns the time by which processes live, in milliseconds since the Unix epoch. */
  readonly leaseNow: () => number;
}

// 2 MB, which takes a few milliseconds.
const pagesPerReclaim = 512;

interface Prepared extends Pick<PositionalStatement, 'arrange'> {
  readonly statement: StatementSync;
}

const dialect: Dialect = {
  name: 'sqlite',
  sequence: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  text: 'TEXT',
  clustered: ' WITHOUT ROWID',
  // A transaction excludes every other writer.
  lockRows: '',
  takeRows: '',
  takeFreeRows: '',
  insertsInWith: false,
  leaseNow: 'ravi_lease_now()',
  jsonField: (column, field) => `json_extract(${column}, '$.${field}')`,
  wordSearch: sqliteWordSearch,
};

/**
 * Opens the database.
 * @throws KernelError `E_STATE_UNAVAILABLE` if the file cannot be opened, `E_STATE_CORRUPT` if it is not a database
 */
export function openSqliteDatabase(options: SqliteDatabaseOptions): Database {
  const { busyTimeoutMs, durability } = options;
  const connection = connect(options);
  const { file } = options;
  const opened = file === ':memory:' ? undefined : identityOf(file);
  const statements = new Map<string, Prepared>();
  let last: Promise<unknown> = Promise.resolve();

  /** Runs work one at a time: a connection has one transaction, and other work must not read uncommitted rows. */
  function serialize<Result>(work: () => Promise<Result>): Promise<Result> {
    const current = last.then(work);
    last = current.catch(() => {});
    return current;
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
    const { text, arrange } = positionalParameters(sql);
    const prepared = { statement: connection.prepare(text), arrange };
    statements.set(sql, prepared);
    return prepared;
  }

  const runner: SqlRunner = { dialect, all: async (sql, values) => run(sql, values) };

  function reclaim(): boolean {
    const pagesBefore = freePages();
    if (pagesBefore === 0) return false;
    run(`PRAGMA incremental_vacuum(${pagesPerReclaim})`);
    const pagesAfter = freePages();
    // The file shrinks when its log is written back. In a file without incremental vacuum nothing has changed.
    if (pagesAfter < pagesBefore) run('PRAGMA wal_checkpoint(PASSIVE)');
    return pagesAfter > 0 && pagesAfter < pagesBefore;
  }

  function freePages(): number {
    return Number(run('PRAGMA freelist_count')[0]?.['freelist_count']);
  }

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
    all: (sql, values) => serialize(() => retryWhileBusy(() => run(sql, values), busyTimeoutMs)),
    transaction: (body, options = {}) =>
      serialize(async () => {
        if (durability === 'process' || (options.durability ?? 'disk') === 'disk') return transact(body);
        run('PRAGMA synchronous = NORMAL');
        try {
          return await transact(body);
        } finally {
          if (connection.isOpen) run('PRAGMA synchronous = FULL');
        }
      }),
    // Transactions commit in the order of their numbers.
    settled: async () => Number.MAX_SAFE_INTEGER,
    ...(opened === undefined ? {} : { check: async () => checkOpened(file, opened) }),
    reclaim: () => serialize(() => retryWhileBusy(reclaim, busyTimeoutMs)),
    [Symbol.asyncDispose]: () =>
      serialize(async () => {
        if (connection.isOpen) connection.close();
      }),
  };
}

function checkOpened(file: string, opened: string): void {
  try {
    checkFile(file, opened);
  } catch (error) {
    throw stateError(error);
  }
}

function connect({ file, busyTimeoutMs: timeout, durability, leaseNow }: SqliteDatabaseOptions): DatabaseSync {
  let connection: DatabaseSync | undefined;
  try {
    if (file !== ':memory:') {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      // SQLite would make it readable for others, and it has secrets. Its -wal and -shm files take the mode.
      closeSync(openSync(file, 'a', 0o600));
    }
    // Not imported: on a Node without it, the check of the version must come first.
    const sqlite = process.getBuiltinModule('node:sqlite');
    connection = new sqlite.DatabaseSync(file, { timeout });
    // Readers never wait for a writer, nor a writer for readers. The mode is stored in the file.
    // Only a new file takes it: space of removed rows can then be given back in slices. Before anything is written.
    connection.exec('PRAGMA auto_vacuum = INCREMENTAL');
    connection.exec('PRAGMA journal_mode = WAL');
    connection.exec(`PRAGMA synchronous = ${durability === 'disk' ? 'FULL' : 'NORMAL'}`);
    connection.function('ravi_lease_now', () => Math.floor(leaseNow()));
    // From here on SQLite must not wait, because that would block the event loop.
    connection.exec('PRAGMA busy_timeout = 0');
    if (file !== ':memory:') checkPages(connection, file);
    return connection;
  } catch (error) {
    connection?.close();
    throw stateError(error);
  }
}

/** Statement whose parameters are bound by position. */
export interface PositionalStatement {
  /** SQL with a `?` for each parameter. */
  readonly text: string;
  /** Returns the values in the order in which the text uses them. */
  arrange(values: readonly SqlValue[]): readonly SqlValue[];
}

/**
 * Converts a statement with `$1`, `$2`… to `?` parameters. Some versions of `node:sqlite` cannot bind numbered
 * parameters by position.
 */
export function positionalParameters(sql: string): PositionalStatement {
  const order: number[] = [];
  const text = sql.replaceAll(/\$(\d+)/g, (_, number: string) => {
    order.push(Number(number) - 1);
    return '?';
  });
  if (order.every((index, place) => index === place)) return { text, arrange: (values) => values };
  return { text, arrange: (values) => order.map((index) => values[index] ?? null) };
}

const firstDelayMs = 1;
const maxDelayMs = 16;

/**
 * Returns the result of `attempt`, retried while another process writes. SQLite can wait on its own, but would block
 * the event loop meanwhile.
 * @throws the last error of `attempt` once `timeoutMs` have passed
 */
async function retryWhileBusy<Result>(attempt: () => Result, timeoutMs: number): Promise<Result> {
  const giveUpAt = performance.now() + timeoutMs;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, maxDelayMs)) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw error;
    }
    // Random, so that two waiting processes do not retry at the same time.
    await sleep(delayMs * (0.5 + Math.random()));
  }
}
