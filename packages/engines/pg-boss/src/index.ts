import { limitProperties } from '@ravi/engine-kit';
import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { createPgBossRunEngine, schemaPattern } from './pg-boss-run-engine.ts';
import type { PgBossRunEngineOptions } from './pg-boss-run-engine.ts';

export { createPgBossRunEngine } from './pg-boss-run-engine.ts';
export type { PgBossRunEngineOptions } from './pg-boss-run-engine.ts';

/** Options of the plugin in the configuration. */
export type PgBossEngineConfig = Omit<PgBossRunEngineOptions, 'clock' | 'logger' | 'random'>;

const plugin: Plugin<'runEngine', PgBossEngineConfig> = definePlugin({
  name: 'engine-pg-boss',
  port: 'runEngine',
  configSchema: {
    type: 'object',
    properties: {
      url: {
        type: 'string',
        minLength: 1,
        description:
          'postgres://user:password@host:port/database of the database that the state store is in; the environment variables PGHOST, PGUSER… by default.',
      },
      schema: {
        type: 'string',
        pattern: schemaPattern.source,
        default: 'ravi_engine',
        description: 'Schema that holds the tables of pg-boss, for this installation only.',
      },
      maxConnections: { type: 'integer', minimum: 2, maximum: 1_000, default: 5 },
      timeoutMs: {
        type: 'integer',
        minimum: 1,
        maximum: 3_600_000,
        default: 10_000,
        description: 'Milliseconds to wait for a connection, and for one statement.',
      },
      groupLimit: limitProperties.groupLimit,
      maxAttempts: limitProperties.maxAttempts,
      pollMs: {
        type: 'integer',
        minimum: 10,
        maximum: 60_000,
        default: 1_000,
        description: 'Milliseconds between two looks for wakes that have become due.',
      },
      heartbeatMs: {
        type: 'integer',
        minimum: 10_000,
        maximum: 3_600_000,
        default: 30_000,
        description: 'Milliseconds without a sign of life after which the engine counts a server as dead.',
      },
    },
    required: [],
    additionalProperties: false,
  },
  create: (options, { clock, logger }) => createPgBossRunEngine({ ...options, clock, logger }),
});
export default plugin;
