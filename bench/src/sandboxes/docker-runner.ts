import { createDockerSandbox } from '@ravi/sandbox-docker';
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
