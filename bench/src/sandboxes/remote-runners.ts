import { createDockerSandbox } from '@ravi/sandbox-docker';
import { createRemoteSandbox } from '@ravi/sandbox-remote';
import { createTestCertificates, startTestNode } from '@ravi/sandbox-testing';
import { createBareRunner } from './bare-runner.ts';
import { createChainRunner } from './chain-runner.ts';
import type { ScriptRunner } from './script-runner.ts';

/** Image built by `scripts/sandbox-images.ts`. */
const javascript = 'ravi-sandbox-node:test';

/**
 * The chain with containers that serve several scripts of their principal, each in its own isolate: a new container
 * for each script would measure how fast the engine starts one.
 */
export function createDockerRunner(): ScriptRunner {
  const sandbox = createDockerSandbox({ images: { javascript }, languages: ['javascript'], runsPerContainer: 500 });
  return createChainRunner({ name: 'Ravi in docker', sandbox });
}

/**
 * Creates a runner of the default sandbox on a node of this machine: another process, reached over loopback with mutual TLS. The
 * difference to the sandbox alone is the price of the way, without that of a network.
 */
export async function createRemoteRunner(): Promise<ScriptRunner> {
  const certificates = createTestCertificates();
  const node = await startTestNode({ certificates });
  const sandbox = await createRemoteSandbox({ nodes: [node.address], ...certificates.server() });
  return {
    ...createBareRunner('Ravi, sandbox on a node', sandbox),
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
      certificates[Symbol.dispose]();
    },
  };
}
