import { hostileCases } from '@ravi/mcp-testing';
import { childProcessIds } from '@ravi/testkit';
import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from 'vitest';
import { createHostileBench } from './support/mcp/hostile-run.ts';
import type { HostileBench } from './support/mcp/hostile-run.ts';

let bench: HostileBench;
let before: readonly number[];

beforeAll(async () => {
  before = childProcessIds();
  bench = await createHostileBench();
});

afterAll(async () => {
  await bench[Symbol.asyncDispose]();
});

for (const given of hostileCases.filter(({ only }) => only !== 'http')) {
  test(`over stdio, a server that ${given.title} harms only its own tools`, () => bench.run(given, 'stdio'), 30_000);
}

test('no process of a hostile server is left', () => {
  assert.deepEqual(childProcessIds(), before);
});
