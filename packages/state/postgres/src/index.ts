import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import {
  createPostgresStateStore,
  defaultMaxConnections,
  defaultSchema,
  defaultTimeoutMs,
  schemaPattern,
} from './postgres-state-store.ts';
import type { PostgresStateStoreOptions } from './postgres-state-store.ts';

export { createPostgresStateStore } from './postgres-state-store.ts';
export type { PostgresStateStoreOptions } from './postgres-state-store.ts';

const plugin: Plugin<'stateStore', PostgresStateStoreOptions> = definePlugin({
  name: 'state-postgres',
  port: 'stateStore',
  configSchema: {
    type: 'object',
    properties: {
      url: {
        type: 'string',
        minLength: 1,
        description:
          'postgres://user:password@host:port/database; the environment variables PGHOST, PGUSER… by default.',
      },
      schema: {
        type: 'string',
        pattern: schemaPattern.source,
        default: defaultSchema,
        description: 'Schema that holds the tables.',
      },
      maxConnections: { type: 'integer', minimum: 1, default: defaultMaxConnections },
      timeoutMs: {
        type: 'integer',
        minimum: 1,
        default: defaultTimeoutMs,
        description: 'Milliseconds to wait for a connection, and for one statement.',
      },
    },
    required: [],
    additionalProperties: false,
  },
  create: (options) => createPostgresStateStore(options),
});
export default plugin;
