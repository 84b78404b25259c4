import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { SpawnSyncReturns } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'vitest';

const own = join(import.meta.dirname, '..');
let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'npm-create-ravi-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

function createRavi(...args: string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [join(own, 'src/main.ts'), ...args], { cwd, encoding: 'utf8' });
}

test('the program creates a project and ends with the exit code of the generator', () => {
  const { status, stdout, stderr } = createRavi('shop');
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^Wrote shop\. Next:$/m);
  assert.ok(existsSync(join(cwd, 'shop/ravi.config.json')));
  const refused = createRavi('shop');
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /^shop is not an empty folder/);
});

test('the package has no dependency that npm would have to fetch first', () => {
  const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as Record<string, unknown>;
  assert.equal(manifest['dependencies'], undefined);
  assert.equal(manifest['peerDependencies'], undefined);
});
