import { setImmediate } from 'node:timers/promises';
import { createTestCertificates, startTestNode } from '@ravi/sandbox-testing';
import { pluginContract } from '@ravi/testkit/plugin';
import { sandboxContract } from '@ravi/testkit/sandbox';
import { afterAll, test } from 'vitest';
import plugin, { createRemoteSandbox } from '../src/index.ts';

const linux = process.platform === 'linux';
const certificates = createTestCertificates();
const node = await startTestNode({ certificates });
const options = { nodes: [node.address], ...certificates.server() };

afterAll(async () => {
  await node[Symbol.asyncDispose]();
  certificates[Symbol.dispose]();
});

sandboxContract(test, () => createRemoteSandbox(options), linux ? { crash: killGuests } : {});
pluginContract(test, plugin, options);

async function killGuests(): Promise<void> {
  const doomed = new Set(node.guests());
  for (const pid of doomed) process.kill(pid, 'SIGKILL');
  while (node.guests().some((pid) => doomed.has(pid))) await setImmediate();
}
