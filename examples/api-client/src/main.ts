import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMonolith, serve } from '@ravi/monolith';
import { useServer } from './use-server.ts';

const data = await mkdtemp(join(tmpdir(), 'ravi-api-client-'));
try {
  const cwd = join(import.meta.dirname, '..');
  await using monolith = await openMonolith({ cwd, env: { RAVI_DATA: data }, isServer: true });
  await using server = await serve(monolith, { port: 0, graceMs: 0 });
  const lines = await useServer(server.url);
  console.log(lines.join('\n'));
  assert.deepEqual(lines, ['refund waits for an approval', 'approved', 'E_RUN_NOT_FOUND', 'completed refunded A-17']);
} finally {
  await rm(data, { recursive: true, force: true });
}
