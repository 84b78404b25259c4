import { createTestCertificates, startTestNode } from '@ravi/sandbox-testing';
import { pythonSandboxContract } from '@ravi/testkit/sandbox';
import { afterAll, test } from 'vitest';
import { createRemoteSandbox } from '../src/index.ts';

// Files of requests travel to the node too: this sandbox places them.
const certificates = createTestCertificates();
const sandbox = { use: '@ravi/sandbox-pyodide', poolSize: 2, maxProcesses: 3 };
const node = await startTestNode({ certificates, config: { sandbox } });
const options = { nodes: [node.address], ...certificates.server() };

afterAll(async () => {
  await node[Symbol.asyncDispose]();
  certificates[Symbol.dispose]();
});

pythonSandboxContract(test, () => createRemoteSandbox(options), {
  hasThreads: false,
  async crash() {
    for (const id of node.guests()) process.kill(id, 'SIGKILL');
  },
});
