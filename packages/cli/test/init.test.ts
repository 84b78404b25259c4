import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'vitest';
import { createFolder } from './support/folder.ts';
import { runCaptured } from './support/server.ts';

test('init writes a project next to existing files, and lists the files it kept', async () => {
  await using own = await createFolder();
  const where = { cwd: own.folder, env: {} };
  const { code, output } = await runCaptured(['init', '--yes', '--name', 'My shop'], where);
  assert.equal(code, 0);
  assert.match(output, /^wrote {2}tools\/list_orders\.ts$/m);
  assert.match(output, /^kept {3}ravi\.config\.json$/m);
  const manifest = JSON.parse(await readFile(join(own.folder, 'package.json'), 'utf8')) as { name: string };
  assert.equal(manifest.name, 'my-shop');
  await rm(join(own.folder, 'demo.ts'));
  const again = await runCaptured(['init', '--yes', '--json'], where);
  assert.deepEqual((JSON.parse(again.output) as { written: string[] }).written, ['demo.ts']);
});

test('init does not ask without a terminal, and does not overwrite a file', async () => {
  await using own = await createFolder();
  const where = { cwd: own.folder, env: {} };
  const unasked = await runCaptured(['init'], where);
  assert.equal(unasked.code, 2);
  assert.match(unasked.errors, /E_USAGE: .*--yes/);
  const file = await runCaptured(['init', 'ravi.config.json', '--yes'], where);
  assert.match(file.errors, /E_USAGE: ravi\.config\.json is a file/);
});
