import { invalid } from './errors.ts';
import type { Database, SqlRow, SqlRunner, SqlValue } from './database.ts';

/** Whether every database keeps the text as it is: no control character, no half of a surrogate pair. */
export function isPlain(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}

/**
 * The database, but what it cannot keep is not asked for: an id from outside that no row can have finds none, instead of
 * an error or the row of a similar one. JSON text is always plain, because JSON escapes the rest.
 */
export function askingPlainText(database: Database): Database {
  return {
    dialect: database.dialect,
    all: (sql, values) => all(database, sql, values),
    transaction: (body, options) =>
      database.transaction((inner) => body({ all: (sql, values) => all(inner, sql, values) }), options),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

async function all(runner: SqlRunner, sql: string, values: readonly SqlValue[] = []): Promise<readonly SqlRow[]> {
  if (values.every((value) => typeof value !== 'string' || isPlain(value))) return runner.all(sql, values);
  if (sql.startsWith('INSERT')) throw invalid('Text with control characters or half a surrogate pair cannot be kept');
  return [];
}
