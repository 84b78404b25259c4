import { hostileCases } from '@ravi/mcp-testing';
import { afterAll, beforeAll, test } from 'vitest';
import { createHostileBench } from './support/mcp/hostile-run.ts';
import type { HostileBench } from './support/mcp/hostile-run.ts';

let bench: HostileBench;

beforeAll(async () => {
  bench = await createHostileBench();
});

afterAll(async () => {
  await bench[Symbol.asyncDispose]();
});

for (const given of hostileCases.filter(({ only }) => only !== 'stdio')) {
  test(`over HTTP, a server that ${given.title} harms only its own tools`, () => bench.run(given, 'http'), 30_000);
}
