import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { isKernelError } from '@ravi/kernel';
import type { ChainRunResult } from '@ravi/kernel';
import { createDockerSandbox } from '@ravi/sandbox-docker';
import { hostileLeftovers } from '@ravi/testkit/hostile';
import { afterAll, test } from 'vitest';
import { runChain } from '../../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'ravi-leftovers-'));
const file = join(folder, 'secret.txt');
const secret = randomUUID();
writeFileSync(file, secret);

const sandbox = createDockerSandbox({
  languages: ['python'],
  images: { python: 'ravi-sandbox-python:test' },
  poolSize: 3,
});
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
const store = createMemoryBlobStore();
const invoker = new ToolInvoker({ registry: new Toolbox([]), artifactStore: store });

const run = (code: string): Promise<ChainRunResult> =>
  runChain({
    code,
    language: 'python',
    invoker,
    sandbox,
    session: { principal: 'mallory' },
    input: { file },
    preflight: false,
    policy: { totalTimeoutMs: 20_000, callTimeoutMs: 10_000, approvalTimeoutMs: 5_000 },
  });

const whyNot = await run('1').then(
  () => '',
  (error) => {
    if (isKernelError(error, 'E_SANDBOX_UNAVAILABLE')) return ` (${error.message})`;
    throw error;
  },
);

for (const { name, code, ends = ['ok'], value } of hostileLeftovers.cases) {
  test.skipIf(whyNot !== '')(
    `a script leaves nothing but its own files in their folder: ${name}${whyNot}`,
    async () => {
      const result = await run(code);
      assert.ok(
        ends.some((status) => status === result.status),
        `${result.status}: ${result.outputText}`,
      );
      if (value !== undefined) assert.equal(JSON.stringify(result.value), value);
      const files = result.files ?? [];
      assert.ok(files.length <= 100);
      for (const { path, artifactRef } of files) {
        assert.match(path, /^\/workspace\/out\/[^/]/);
        assert.ok(!path.split('/').includes('..'), path);
        assert.ok(!Buffer.from(await store.resolve(artifactRef)).includes(secret));
      }
      assert.ok(!JSON.stringify(result).includes(secret));
      assert.equal((await run('"well"')).value, 'well');
    },
  );
}
