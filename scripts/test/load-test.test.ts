import assert from 'node:assert/strict';
import { join } from 'node:path';

import { test } from 'vitest';

import { runCommand } from '../lib/run.ts';

const loadTest = join(import.meta.dirname, '../load-test.ts');

test('under readers, streams and scripts at once the server loses nothing, and its memory stays bounded', async () => {
  const { ok, output } = await runCommand(['node', loadTest, '--quick']);
  assert.ok(ok, output);
  assert.match(output, /GET \/v1\/tools.* \| [1-9]\d* \| 0 \|/, output);
  assert.match(output, /100 at once, to the first event \| 100 \| 0 \|/, output);
  assert.match(output, /its events, 100 readers.* \| 8400 \| 0 \|/, output);
  assert.match(output, /chains, 30 at once.* \| 30 \| 0 \|/, output);
});
