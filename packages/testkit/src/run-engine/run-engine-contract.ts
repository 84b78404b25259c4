import type { RunEngine } from '@ravi/kernel';
import type { ContractTest } from '../suite/contract-test.ts';
import { boundsCases } from './bounds-cases.ts';
import { lifetimeCases } from './lifetime-cases.ts';
import { mergeCases } from './merge-cases.ts';
import { processCases } from './process-cases.ts';
import type { RunEngineContractOptions, RunEngineSettings, RunEngineSuite } from './run-engine-suite.ts';
import { timeCases } from './time-cases.ts';
import { transactionCases } from './transaction-cases.ts';
import { turnCases } from './turn-cases.ts';

const defaultWaitMs = 60_000;

/**
 * The contract suite of the `RunEngine` port. Give it the `test` of vitest or `node:test` and a factory of engines without wakes. The suite
 * disposes them.
 */
export function runEngineContract<Engine extends RunEngine>(
  test: ContractTest,
  create: (settings: RunEngineSettings) => Engine | Promise<Engine>,
  optionsOfEngine: RunEngineContractOptions<Engine> = {},
): void {
  // The suite passes these functions only engines that `create` or `connect` made.
  const options = optionsOfEngine as unknown as RunEngineContractOptions;
  const suite: RunEngineSuite = {
    options,
    waitMs: options.waitMs ?? defaultWaitMs,
    scenario: (name, body, settings = {}) =>
      test(`run engine: ${name}`, async (context) => {
        await using engine: RunEngine = await create(settings);
        await body(engine, context);
      }),
    skip: (name) => test.skip(`run engine: ${name}`),
  };
  mergeCases(suite);
  turnCases(suite);
  timeCases(suite);
  boundsCases(suite);
  lifetimeCases(suite);
  transactionCases(suite);
  processCases(suite);
}
