import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { KernelError } from '@ravi/kernel';

const maxCheckedBytes = 256 * 1024 * 1024;

/**
 * Checks before a database is opened that its write-ahead log was not removed after a crash: SQLite would open the file without
 * the changes in it, and report nothing.
 * @throws KernelError `E_STATE_CORRUPT`
 */
export function requireLog(file: string): void {
  if (!existsSync(markOf(file)) || !existsSync(file) || existsSync(`${file}-wal`)) return;
  throw new KernelError(
    'E_STATE_CORRUPT',
    'The state database was not closed, and its -wal file with the last changes is gone. Restore that file or a backup, ' +
      'or remove the file of the same name that ends with -open to continue without these changes',
  );
}

/** Marks a database as open, until {@link unmarkOpen}. */
export function markOpen(file: string): void {
  if (existsSync(`${file}-wal`)) writeFileSync(markOf(file), '', { mode: 0o600 });
}

/** Removes the mark, before the database is closed: a process that dies in between leaves its log. */
export function unmarkOpen(file: string): void {
  rmSync(markOf(file), { force: true });
}

/**
 * Checks the pages of a database. One of more than 256 MiB is not read to its end at each start.
 * @throws KernelError `E_STATE_CORRUPT`, and the errors of SQLite
 */
export function checkPages(connection: DatabaseSync, file: string): void {
  if (statSync(file).size > maxCheckedBytes) return;
  const { quick_check: result } = connection.prepare('PRAGMA quick_check(1)').get() ?? {};
  if (result === 'ok') return;
  throw new KernelError(
    'E_STATE_CORRUPT',
    `The state database is damaged: ${String(result).replaceAll('\n', ' ')}. Restore it from a backup`,
  );
}

/** Returns a text that is the same as long as a path names the same file; empty without a file. */
export function identityOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.dev} ${found.ino}`;
}

/**
 * Checks that a path still names the file that an open connection uses, and that another connection, which has nothing of it in
 * memory, can read its schema and a row of each table.
 * @throws KernelError `E_STATE_CORRUPT`, and the errors of SQLite
 */
export function checkFile(file: string, opened: string): void {
  if (identityOf(file) !== opened) {
    throw new KernelError(
      'E_STATE_CORRUPT',
      'The file of the state database was removed or replaced while it was open. Changes since then are not in it: stop the ' +
        'server, and restore the file from a backup',
    );
  }
  const sqlite = process.getBuiltinModule('node:sqlite');
  const connection = new sqlite.DatabaseSync(file, { readOnly: true, timeout: 100 });
  try {
    const tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    for (const { name } of tables) connection.prepare(`SELECT * FROM "${String(name)}" LIMIT 1`).get();
  } finally {
    connection.close();
  }
}

function markOf(file: string): string {
  return `${file}-open`;
}
