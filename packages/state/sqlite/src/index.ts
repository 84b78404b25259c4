import { resolve } from 'node:path';
import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { createSqliteStateStore, defaultBusyTimeoutMs } from './sqlite-state-store.ts';

export { createSqliteStateStore } from './sqlite-state-store.ts';
export type { SqliteStateStoreOptions } from './sqlite-state-store.ts';

/** Options of the plugin in the configuration. */
export interface SqliteStateConfig {
  /** Relative to the folder of the configuration file. */
  readonly file: string;
  readonly busyTimeoutMs: number;
  readonly durability: 'disk' | 'process';
}

const plugin: Plugin<'stateStore', SqliteStateConfig> = definePlugin({
  name: 'state-sqlite',
  port: 'stateStore',
  configSchema: {
    type: 'object',
    properties: {
      file: { type: 'string', minLength: 1, description: 'Path of the database file, or :memory:.' },
      busyTimeoutMs: {
        type: 'integer',
        minimum: 0,
        default: defaultBusyTimeoutMs,
        description: 'Milliseconds to wait while another process writes.',
      },
      durability: {
        enum: ['disk', 'process'],
        default: 'disk',
        description: 'disk: a started call survives a power failure; process: only the end of the process.',
      },
    },
    required: ['file'],
    additionalProperties: false,
  },
  create: ({ file, ...options }, { baseDir }) =>
    createSqliteStateStore({ file: file === ':memory:' ? file : resolve(baseDir, file), ...options }),
});
export default plugin;
