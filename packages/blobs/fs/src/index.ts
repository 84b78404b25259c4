import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { KernelError, definePlugin } from '@ravi/kernel';
import type { Plugin } from '@ravi/kernel';
import { isSystemError } from './errors.ts';
import { createFsBlobStore, defaultOrphanAgeMs } from './fs-blob-store.ts';

export { createFsBlobStore } from './fs-blob-store.ts';
export type { FsBlobStoreOptions } from './fs-blob-store.ts';

/** Options of the plugin in the configuration. */
export interface FsBlobConfig {
  /** Relative to the folder of the configuration file. */
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
        description:
          'Milliseconds after which an unfinished write of another process that makes no progress is removed.',
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

/**
 * Rejects a root that is a file or is below one: nothing could ever be stored there. @throws KernelError
 * `E_CONFIG_INVALID`
 */
async function requireFolder(root: string): Promise<void> {
  if (await isFolderOrNothing(root)) return;
  throw new KernelError('E_CONFIG_INVALID', `The blob store root ${root} is a file; set "root" to a folder`);
}

async function isFolderOrNothing(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    // Any other problem may be temporary; the store reports it when it is used.
    return !isSystemError(error, 'ENOTDIR');
  }
}
