import { invalid } from './errors.ts';
import type { Database, SqlRow, SqlRunner, SqlValue } from './database.ts';

/** Returns true if every database stores the text unchanged: no control character, no lone surrogate. */
export function isPlain(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}

/**
 * Wraps a database so that values it cannot store are never sent: a query for such an id returns no rows instead of an
 * error or a similar row, and an insert fails. JSON text is always plain, because JSON escapes the rest.
 */
export function withPlainText(database: Database): Database {
  return {
    dialect: database.dialect,
    all: (sql, values) => all(database, sql, values),
    transaction: (body, options) =>
      database.transaction(
        (inner) => body({ dialect: inner.dialect, all: (sql, values) => all(inner, sql, values) }),
        options,
      ),
    settled: (table, known) => database.settled(table, known),
    reclaim: () => database.reclaim?.() ?? Promise.resolve(false),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

async function all(runner: SqlRunner, sql: string, values: readonly SqlValue[] = []): Promise<readonly SqlRow[]> {
  if (values.every((value) => typeof value !== 'string' || isPlain(value))) return runner.all(sql, values);
  if (/^(?:WITH \w+ AS \()?INSERT /.test(sql))
    throw invalid('Text with control characters or a lone surrogate cannot be stored');
  return [];
}
