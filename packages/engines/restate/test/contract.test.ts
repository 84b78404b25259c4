import { join } from 'node:path';
import type { RunEngine } from '@ravi/kernel';
import { startRestate } from '@ravi/engine-testing';
import { pluginContract } from '@ravi/testkit/plugin';
import { runEngineContract } from '@ravi/testkit/run-engine';
import { afterAll, test } from 'vitest';
import plugin, { createRestateRunEngine } from '../src/index.ts';
import type { RestateRunEngineOptions } from '../src/index.ts';

const server = await startRestate();
afterAll(() => server[Symbol.asyncDispose]());

const { ingressUrl, adminUrl } = server;
const optionsOf = new WeakMap<RunEngine, RestateRunEngineOptions>();
let count = 0;

async function open(options: RestateRunEngineOptions): Promise<RunEngine> {
  const engine = await createRestateRunEngine(options);
  optionsOf.set(engine, options);
  return engine;
}

pluginContract(test, plugin, { ingressUrl, adminUrl, service: 'plugin', groupLimit: 5 });
runEngineContract(
  test,
  (settings) => open({ ingressUrl, adminUrl, service: `contract-${(count += 1)}`, heartbeatMs: 10_000, ...settings }),
  {
    connect: (engine) => open(optionsOf.get(engine)!),
    program: (engine) => ({
      file: join(import.meta.dirname, 'contract-program.ts'),
      args: [JSON.stringify(optionsOf.get(engine))],
    }),
    content: () => server.content(),
  },
);
