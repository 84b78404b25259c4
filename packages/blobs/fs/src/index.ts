import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { KernelError, definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { isSystemError } from './errors.ts';
import { createFsBlobStore, defaultOrphanAgeMs } from './fs-blob-store.ts';

export { createFsBlobStore } from './fs-blob-store.ts';
export type { FsBlobStoreOptions } from './fs-blob-store.ts';

/** Options of the plugin in a configuration. */
export interface FsBlobConfig {
  /** Relative to the folder of the configuration. */
  readonly root: string;
  readonly orphanAgeMs: number;
}

const plugin: Plugin<'blobStore', FsBlobConfig> = definePlugin({
  name: 'blob-fs',
  port: 'blobStore',
  configSchema: {
    type: 'object',
    properties: {
      root: { type: 'string', minLength: 1, description: 'The folder of the store.' },
      orphanAgeMs: {
        type: 'integer',
        minimum: 1000,
        default: defaultOrphanAgeMs,
        description: 'For how long a write of another process may rest before it is taken for dead.',
      },
    },
    required: ['root'],
    additionalProperties: false,
  },
  async create({ root: configured, orphanAgeMs }, { baseDir, clock }) {
    const root = resolve(baseDir, configured);
    await requireFolder(root);
    return createFsBlobStore({ root, orphanAgeMs, clock });
  },
});

export default plugin;

/** Refuses a root that is a file, or lies below one: nothing could ever be stored there. @throws KernelError `E_CONFIG_INVALID` */
async function requireFolder(root: string): Promise<void> {
  if (await isFolderOrNothing(root)) return;
  throw new KernelError('E_CONFIG_INVALID', `The root of the blob store, ${root}, is a file; name a folder`);
}

async function isFolderOrNothing(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    // Whatever else is in the way may pass; the store says it when it is used.
    return !isSystemError(error, 'ENOTDIR');
  }
}
