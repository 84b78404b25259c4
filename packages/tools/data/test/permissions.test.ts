import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pdfLines, pdfOf } from '@ravi/testkit';
import { callUnprivileged } from '@ravi/testkit/unprivileged';
import { expect, test } from 'vitest';

test('a database or PDF file that may not be opened or written is an error without its path', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ravi-sql-')));
  try {
    for (const name of ['closed', 'sealed']) mkdirSync(join(folder, name));
    for (const name of ['open.db', 'closed.db', 'fixed.db', 'closed/a.db', 'sealed/a.db']) {
      const database = new DatabaseSync(join(folder, name));
      database.exec('CREATE TABLE items AS SELECT 1 AS id');
      database.close();
    }
    for (const name of ['open.pdf', 'closed.pdf']) writeFileSync(join(folder, name), pdfOf([pdfLines('A page')]));
    if (process.getuid?.() === 0) execFileSync('chown', ['-R', '65534:65534', folder]);
    for (const name of ['closed.db', 'closed.pdf']) chmodSync(join(folder, name), 0o000);
    chmodSync(join(folder, 'fixed.db'), 0o444);
    chmodSync(join(folder, 'closed'), 0o000);
    chmodSync(join(folder, 'sealed'), 0o555);
    const connections = {
      open: { sqlite: 'open.db' },
      closed: { sqlite: 'closed.db' },
      writableClosed: { sqlite: 'closed.db', write: true },
      inClosed: { sqlite: 'closed/a.db' },
      fixed: { sqlite: 'fixed.db' },
      writableFixed: { sqlite: 'fixed.db', write: true },
      writableSealed: { sqlite: 'sealed/a.db', write: true },
    };
    const read = 'SELECT id FROM items';
    const insert = 'INSERT INTO items VALUES (2)';
    const made = await callUnprivileged({
      plugin: join(import.meta.dirname, '../src/index.ts'),
      options: { root: folder, connections, tools: ['sql_query', 'pdf_read'] },
      folder,
      calls: [
        ['sql_query', { connection: 'open', sql: read }],
        ['sql_query', { connection: 'closed', sql: read }],
        ['sql_query', { connection: 'writableClosed', sql: read }],
        ['sql_query', { connection: 'inClosed', sql: read }],
        ['sql_query', { connection: 'fixed', sql: read }],
        ['sql_query', { connection: 'writableFixed', sql: insert }],
        // SQLite needs a journal next to the file.
        ['sql_query', { connection: 'writableSealed', sql: insert }],
        ['pdf_read', { path: 'open.pdf' }],
        ['pdf_read', { path: 'closed.pdf' }],
      ],
    });
    expect(made.map(({ code }) => code)).toEqual([
      'ok',
      'E_SQL_UNAVAILABLE',
      'E_SQL_UNAVAILABLE',
      'E_SQL_UNAVAILABLE',
      'ok',
      'E_SQL_REFUSED',
      'E_SQL_REFUSED',
      'ok',
      'E_FILE_FORBIDDEN',
    ]);
    for (const { text } of made) expect(text).not.toContain(folder);
    for (const name of ['closed', 'sealed']) chmodSync(join(folder, name), 0o755);
    for (const name of ['fixed.db', 'sealed/a.db']) {
      using database = new DatabaseSync(join(folder, name), { readOnly: true });
      expect(database.prepare('SELECT count(*) AS count FROM items').get()).toEqual({ count: 1 });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
