import assert from 'node:assert/strict';
import { join } from 'node:path';

import { test } from 'vitest';

import { runCommand } from '../lib/run.ts';

const restartTest = join(import.meta.dirname, '../restart-test.ts');

// The goals are for a machine with nothing else to do. A regression to what they were made for exceeds twenty times of them.
test('a killed server with ten thousand paused runs answers and resumes soon after its next start', async () => {
  const { ok, output } = await runCommand(['node', restartTest, '--limit', '20']);
  assert.ok(ok, output);
  assert.match(output, /^10000 paused runs, 20 of them answered/m, output);
  assert.match(output, /every effect happened once/, output);
});
