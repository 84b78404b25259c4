import { limitProperties } from '@ravi/engine-kit';
import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { createMemoryRunEngine } from './memory-run-engine.ts';
import type { MemoryRunEngineOptions } from './memory-run-engine.ts';

export { createMemoryRunEngine } from './memory-run-engine.ts';
export type { MemoryRunEngineOptions } from './memory-run-engine.ts';

/** Options of the plugin in the configuration. */
export type MemoryEngineConfig = Pick<MemoryRunEngineOptions, 'groupLimit' | 'maxRuns' | 'maxAttempts'>;

const plugin: Plugin<'runEngine', MemoryEngineConfig> = definePlugin({
  name: 'engine-memory',
  port: 'runEngine',
  configSchema: {
    type: 'object',
    properties: {
      groupLimit: {
        ...limitProperties.groupLimit,
        description: 'Maximum runs of one principal that a server handles at once. Default: no limit.',
      },
      maxRuns: {
        type: 'integer',
        minimum: 1,
        maximum: 10_000_000,
        default: 100_000,
        description: 'Maximum runs that wait, due or not.',
      },
      maxAttempts: limitProperties.maxAttempts,
    },
    required: [],
    additionalProperties: false,
  },
  create: async (options, { clock, logger }) => createMemoryRunEngine({ ...options, clock, logger }),
});
export default plugin;
