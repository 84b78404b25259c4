import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findPostgres } from '@ravi/state-testing';
import { test } from 'vitest';

const isRoot = process.getuid?.() === 0;

test.skipIf(!isRoot)(
  'as root, programs in a folder that other users cannot enter are copied to one that they can',
  async () => {
    const { postgres: installed } = await findPostgres();
    // Like a home folder of root, mode 700.
    const folder = mkdtempSync(join(tmpdir(), 'ravi-closed-'));
    try {
      cpSync(dirname(dirname(installed)), folder, { recursive: true, verbatimSymlinks: true });
      const closed = { initdb: join(folder, 'bin/initdb'), postgres: join(folder, 'bin/postgres') };
      const { postgres, runAs } = await findPostgres(closed);
      assert.ok(runAs !== undefined && runAs.uid !== 0);
      assert.notEqual(postgres, closed.postgres);
      assert.match(spawnSync(postgres, ['--version'], { ...runAs, cwd: '/', encoding: 'utf8' }).stdout, /^postgres /);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test.skipIf(!isRoot)('programs that no user can run are reported with their folder and what to do', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ravi-closed-'));
  try {
    for (const name of ['initdb', 'postgres']) cpSync(process.execPath, join(folder, 'bin', name));
    writeFileSync(join(folder, 'bin', 'postgres'), 'no program');
    const broken = { initdb: join(folder, 'bin/initdb'), postgres: join(folder, 'bin/postgres') };
    await assert.rejects(
      findPostgres(broken),
      /The user postgres can run PostgreSQL neither at .* RAVI_TEST_POSTGRES_URL/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
