import assert from 'node:assert/strict';
import type { Sandbox } from '@ravi/kernel';
import { createTestCertificates, startTestNode } from '@ravi/sandbox-testing';
import { hostileContract } from '@ravi/testkit/hostile';
import { afterAll, test } from 'vitest';
import { createRemoteSandbox } from '../src/index.ts';

const certificates = createTestCertificates();
const inner = { use: '@ravi/sandbox-isolated-vm', poolSize: 1, maxProcesses: 1 };
const node = await startTestNode({ certificates, config: { sandbox: inner } });

afterAll(async () => {
  await node[Symbol.asyncDispose]();
  certificates[Symbol.dispose]();
});

hostileContract(test, openSandbox, process.platform === 'linux' ? { processes: node.guests } : {});

/** Opens the sandbox. The guests belong to the node, so closing it stops the node as an operator does. */
async function openSandbox(): Promise<Sandbox> {
  const sandbox = await createRemoteSandbox({ nodes: [node.address], ...certificates.server() });
  return {
    ...sandbox,
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]();
      node.kill('SIGTERM');
      assert.equal(await node.exited, 0);
    },
  };
}
