import assert from 'node:assert/strict';
import { test } from 'vitest';
import { startServer } from './support/server.ts';

test('processes shows the start and the last sign of life of each server', async () => {
  await using server = await startServer();
  const { code, output, errors } = await server.ravi(['processes']);
  assert.deepEqual([code, errors], [0, '']);
  const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`;
  assert.match(output, new RegExp(`^\\S+ {2}alive {2}since ${time} {2}last sign of life ${time} {2}\\S`));
});
