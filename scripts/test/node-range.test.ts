import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';

import { nodeCheck, oldestNode } from '../build/node-range.ts';
import { writeNodeChecks } from '../build/write-node-checks.ts';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const runCheck = (
  ...check: Parameters<typeof nodeCheck>
): { readonly status: number | null; readonly stderr: string } => {
  const program = `${nodeCheck(...check)}\nconsole.error('started');`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  return { status, stderr };
};

test('the oldest version of a range counts', () => {
  assert.deepEqual(oldestNode('>=20.19'), [20, 19]);
  assert.deepEqual(oldestNode('>=24'), [24, 0]);
  assert.deepEqual(oldestNode('^26 || ^24'), [24, 0]);
  assert.throws(() => oldestNode('*'), /names no version/);
});

test('a program on a Node that is too old prints one sentence and fails', () => {
  for (const needed of [
    [major + 1, 0],
    [major, minor + 1],
  ] as const) {
    const { status, stderr } = runCheck('Ravi', needed, 'program');
    const text = needed[1] === 0 ? `${needed[0]}` : needed.join('.');
    assert.deepEqual([status, stderr], [1, `Ravi needs Node ${text} or newer; this is ${process.versions.node}.\n`]);
  }
});

test('a library on a Node that is too old throws the sentence', () => {
  const { status, stderr } = runCheck('@ravi/x', [major + 1, 0], 'library');
  assert.equal(status, 1);
  assert.match(stderr, /^Error: @ravi\/x needs Node \d+ or newer; this is [\d.]+\.$/m);
});

test('a Node that is new enough, and another platform, pass', () => {
  assert.deepEqual(runCheck('Ravi', [major, minor], 'program'), { status: 0, stderr: 'started\n' });
  const program = `globalThis.process = undefined;\n${nodeCheck('Ravi', [major + 1, 0], 'library')}`;
  assert.equal(spawnSync(process.execPath, ['--input-type=module', '-e', program]).status, 0);
});

test('the check of an entry runs before a library that fails while it is loaded', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ravi-node-check-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'library.js'), "throw new Error('the library fails');\n");
    const main = join(folder, 'main.js');
    writeFileSync(main, "#!/usr/bin/env node\nimport './library.js';\n");
    const entries = [{ file: 'main.js', kind: 'program' }] as const;
    writeNodeChecks(folder, { name: 'Ravi', oldest: [major + 1, 0], entries });
    assert.match(readFileSync(main, 'utf8'), /^#!\/usr\/bin\/env node\n/);
    const { status, stderr } = spawnSync(process.execPath, [main], { encoding: 'utf8' });
    assert.deepEqual(
      [status, stderr],
      [1, `Ravi needs Node ${major + 1} or newer; this is ${process.versions.node}.\n`],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
