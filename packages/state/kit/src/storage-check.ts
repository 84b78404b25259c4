import { randomBytes } from 'node:crypto';
import { isKernelError } from '@ravi/kernel';
import type { KernelError } from '@ravi/kernel';
import type { Database, SqlRow, SqlRunner, SqlValue } from './database.ts';

const table = 'ravi_requests';
// No request has such a key.
const place: readonly SqlValue[] = ['', ''];
// 64 KiB that no database can compress.
const payload = JSON.stringify(randomBytes(48 * 1024).toString('base64'));

/** A database that remembers that it is damaged, and the check of its storage. */
export interface CheckedDatabase {
  readonly database: Database;
  /** Implements `StateStore.check`. */
  check(): Promise<void>;
}

/**
 * Wraps a database. Its first error about its own damage is kept until the process ends: what is damaged may be read from memory
 * or not at all by the next statement.
 */
export function withStorageCheck(inner: Database): CheckedDatabase {
  let damage: KernelError | undefined;

  async function all(runner: SqlRunner, sql: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    try {
      return await runner.all(sql, values);
    } catch (error) {
      if (isKernelError(error, 'E_STATE_CORRUPT')) damage ??= error;
      throw error;
    }
  }

  const database: Database = {
    ...inner,
    all: (sql, values) => all(inner, sql, values),
    transaction: (body, options) =>
      inner.transaction(
        (sql) => body({ dialect: sql.dialect, all: (text, values) => all(sql, text, values) }),
        options,
      ),
  };

  return {
    database,
    async check() {
      if (damage !== undefined) throw damage;
      await inner.check?.();
      await database.all(
        `INSERT INTO ${table} (principal_key, request_key, fingerprint, run_id, created_at, response)
         VALUES ($1, $2, '', '', 0, $3)
         ON CONFLICT (principal_key, request_key) DO UPDATE SET response = EXCLUDED.response`,
        [...place, payload],
      );
      await database.all(`DELETE FROM ${table} WHERE principal_key = $1 AND request_key = $2`, place);
    },
  };
}
