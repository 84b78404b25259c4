import { definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { createMemoryBlobStore } from './memory-blob-store.ts';

export { createMemoryBlobStore } from './memory-blob-store.ts';
export type { MemoryBlobStoreOptions } from './memory-blob-store.ts';

/** Options of the plugin in the configuration. */
export interface MemoryBlobConfig {
  readonly maxBytes: number;
}

const plugin: Plugin<'blobStore', MemoryBlobConfig> = definePlugin({
  name: 'blob-memory',
  port: 'blobStore',
  configSchema: {
    type: 'object',
    properties: {
      maxBytes: {
        type: 'integer',
        minimum: 1,
        default: 268_435_456,
        description: 'Maximum number of content bytes kept at a time.',
      },
    },
    additionalProperties: false,
  },
  create: ({ maxBytes }, { clock }) => createMemoryBlobStore({ maxBytes, clock }),
});
export default plugin;
