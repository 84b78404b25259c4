import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import { serveSdk } from '@ravi/mcp-testing';
import { test } from 'vitest';
import { openSource } from './support/open-source.ts';

const cases: readonly (readonly [what: string, tool: string, args: JsonObject])[] = [
  ['a tool', 'sdk__add', { a: 1, b: 2 }],
  ['a resource', 'sdk__resources.read', { uri: 'note://one' }],
  ['a prompt', 'sdk__prompts.greet', { who: 'Ada' }],
];

for (const [what, tool, args] of cases) {
  test(`a result of ${what} has at most the bytes that the limits allow`, async () => {
    await using server = await serveSdk();
    const open = (resultBytes: number): ReturnType<typeof openSource> =>
      openSource({
        name: 'sdk',
        url: server.url,
        allowPrivateAddresses: true,
        resources: true,
        prompts: true,
        limits: { resultBytes },
      });
    await using small = await open(5);
    await assert.rejects(small.call(tool, args), (error) => isKernelError(error, 'E_LIMIT_CALL_OUTPUT'));
    await using large = await open(1_000_000);
    assert.equal((await large.call(tool, args)).isError, false);
  });
}
