import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { runCaptured } from './support/server.ts';

const reading: readonly (readonly string[])[] = [
  ['approvals', 'ls'],
  ['approvals', 'show', 'apr_1'],
  ['approvals', 'approve', 'apr_1', '--yes'],
  ['approvals', 'answer', 'apr_1', '--done'],
  ['approvals', 'deny', 'apr_1'],
  ['runs', 'ls'],
  ['runs', 'show', 'run_1'],
  ['runs', 'tail', 'run_1'],
  ['runs', 'resume', 'run_1'],
  ['runs', 'cancel', 'run_1'],
  ['artifacts', 'ls'],
  ['artifacts', 'get', 'art_1'],
  ['mcp', 'ls'],
  ['mcp', 'accept', 'files', '--yes'],
  ['mcp', 'logout', 'files'],
  ['tools', 'list'],
  ['tools', 'describe', 'add'],
];

test('a command about what is there creates nothing in another folder, and says where it looked and how to name the right one', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'ravi-wrong-'));
  try {
    for (const args of reading) {
      const { code, output, errors } = await runCaptured(args, { cwd, env: {} });
      assert.deepEqual([code, output], [2, ''], args.join(' '));
      assert.ok(errors.startsWith(`E_USAGE: There is no installation in ${cwd}: `), `${args.join(' ')}: ${errors}`);
      assert.ok(errors.includes(`no data in ${join(cwd, 'data')}`), errors);
      assert.match(errors, /--config <file>.*--server <url>/);
      assert.deepEqual(await readdir(cwd), [], args.join(' '));
    }
    await writeFile(join(cwd, 'ravi.config.json'), '{}');
    assert.equal((await runCaptured(['approvals', 'ls'], { cwd, env: {} })).code, 0);
    // Without its configuration the data of an installation are still found.
    await rm(join(cwd, 'ravi.config.json'));
    assert.equal((await runCaptured(['runs', 'ls'], { cwd, env: {} })).code, 0);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
});
