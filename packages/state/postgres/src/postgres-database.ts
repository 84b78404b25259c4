import { createHash } from 'node:crypto';
import { closed } from '@ravi/state-kit';
import type { Database, Dialect, SqlRow, SqlRunner, SqlValue, TransactionOptions } from '@ravi/state-kit';
import pg from 'pg';
import { endsConnection, stateError } from './postgres-errors.ts';
import { announcement, settledNumber } from './settled-number.ts';
import { postgresWordSearch } from './postgres-word-search.ts';

/** Options of {@link createPostgresDatabase}. */
export interface PostgresDatabaseOptions {
  /** `postgres://user:password@host:port/database`; the environment variables `PGHOST`, `PGUSER`… by default. */
  readonly url?: string;
  /** Lower-case name of the schema that holds the tables. */
  readonly schema: string;
  readonly maxConnections: number;
  /** Milliseconds to wait for a connection, and for one statement. */
  readonly timeoutMs: number;
}

const dialect: Dialect = {
  name: 'postgres',
  sequence: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  text: 'TEXT COLLATE "C"',
  clustered: '',
  lockRows: ' FOR SHARE',
  takeRows: ' FOR UPDATE',
  takeFreeRows: ' FOR UPDATE SKIP LOCKED',
  insertsInWith: true,
  leaseNow: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
  jsonField: (column, field) => `${column}::json ->> '${field}'`,
  wordSearch: postgresWordSearch,
};

const bigint = pg.types.builtins.INT8;
const longestTimerMs = 2 ** 31 - 1;

/**
 * Creates a database without connecting. Each statement takes a connection from the pool, so that it works again after
 * an outage.
 */
export function createPostgresDatabase({ url, schema, maxConnections, timeoutMs }: PostgresDatabaseOptions): Database {
  const pool = new pg.Pool({
    ...(url === undefined ? {} : { connectionString: url }),
    application_name: 'ravi',
    options: `-c search_path=${schema}`,
    max: maxConnections,
    connectionTimeoutMillis: timeoutMs,
    statement_timeout: timeoutMs,
    // A process that stops inside a transaction must not hold its locks for ever.
    idle_in_transaction_session_timeout: timeoutMs,
    allowExitOnIdle: true,
    keepAlive: true,
    // A statement may be sent before the answer to the one before it.
    pipeline: true,
    types: { getTypeParser: (type, format) => (type === bigint ? Number : pg.types.getTypeParser(type, format)) },
  });
  // The pool replaces an idle connection that breaks; a busy one also fails its statement.
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  const broken = new WeakSet<pg.PoolClient>();
  /** Statements of a connection that have no answer yet. */
  const sent = new WeakMap<pg.PoolClient, number>();
  const names = new Map<string, string>();
  let ended: Promise<void> | undefined;

  function prepared(text: string, values: readonly SqlValue[] = []): pg.QueryConfig {
    const name = names.get(text) ?? `ravi_${names.size + 1}`;
    names.set(text, name);
    return { name, text, values: [...values] };
  }

  async function query(client: pg.PoolClient, config: pg.QueryConfig, isUnlimited = false): Promise<readonly SqlRow[]> {
    const ahead = sent.get(client) ?? 0;
    sent.set(client, ahead + 1);
    // The server executes what was sent before, and times out first, so that the connection stays usable. This limit is for a server
    // that does not respond at all.
    const query_timeout = isUnlimited ? longestTimerMs : (ahead + 1) * timeoutMs + 1_000;
    try {
      const { rows } = await client.query<SqlRow>({ ...config, query_timeout } as pg.QueryConfig);
      return rows;
    } catch (error) {
      if (endsConnection(error)) broken.add(client);
      throw stateError(error);
    } finally {
      sent.set(client, (sent.get(client) ?? 1) - 1);
    }
  }

  async function withConnection<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    if (ended !== undefined) throw closed();
    const client = await pool.connect().catch((error: unknown) => {
      throw stateError(error);
    });
    try {
      return await work(client);
    } finally {
      // A connection inside a transaction would fail every later statement, or never commit it.
      client.release(broken.has(client) || client.getTransactionStatus() !== 'I');
    }
  }

  // The announcement is a statement of its own, because it is prepared: planning it takes longer than executing it.
  function openings(client: pg.PoolClient, options: TransactionOptions = {}): Promise<unknown>[] {
    const begin = query(client, { text: beginStatement(schema, options) }, options.isUnlimited);
    if (options.inserts === undefined) return [begin];
    return [begin, query(client, prepared(announcement({ schema, table: options.inserts })))];
  }

  const runnerOf = (client: pg.PoolClient): SqlRunner => ({
    dialect,
    all: (sql, values) => query(client, prepared(sql, values)),
  });

  // Saves a round trip: a transaction that begins with a query sends it together with its BEGIN. If that BEGIN fails, such as by a
  // timeout, the query runs outside the transaction and its rows are dropped. A statement that writes must not, so it waits.
  const runnerAfter = (client: pg.PoolClient, begin: Promise<unknown>, isUnlimited?: boolean): SqlRunner => ({
    dialect,
    async all(sql, values) {
      if (!sql.startsWith('SELECT ')) await begin;
      const [, rows] = await Promise.all([begin, query(client, prepared(sql, values), isUnlimited)]);
      return rows;
    },
  });

  return {
    dialect,
    all: (sql, values) => withConnection((client) => runnerOf(client).all(sql, values)),
    transaction: (body, options) =>
      withConnection(async (client) => {
        try {
          // It may fail after its BEGIN, while it waits for the lock.
          const begin = Promise.all(openings(client, options));
          begin.catch(ignore);
          const result = await body(runnerAfter(client, begin, options?.isUnlimited));
          await begin;
          await query(client, { text: 'COMMIT' });
          return result;
        } catch (error) {
          // A connection that cannot roll back is closed, which also rolls back.
          if (!broken.has(client)) await query(client, { text: 'ROLLBACK' }).catch(ignore);
          throw error;
        }
      }),
    settled: (table, known) => withConnection((client) => settledNumber(runnerOf(client), { schema, table }, known)),
    [Symbol.asyncDispose]: () => (ended ??= pool.end()),
  };
}

// One round trip. Advisory locks are numbers.
function beginStatement(schema: string, { lock, durability, isUnlimited }: TransactionOptions): string {
  const statements = ['BEGIN'];
  if (isUnlimited === true) statements.push('SET LOCAL statement_timeout TO 0');
  if (durability === 'process') statements.push('SET LOCAL synchronous_commit TO off');
  if (lock !== undefined) statements.push(`SELECT pg_advisory_xact_lock(${lockNumber(`ravi ${schema} ${lock}`)})`);
  return statements.join('; ');
}

function lockNumber(name: string): bigint {
  return createHash('sha256').update(name).digest().readBigInt64BE();
}

function ignore(): void {}
