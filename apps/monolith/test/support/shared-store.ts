import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PluginsConfig, RaviConfig } from '@ravi/host';
import type { MonolithOptions } from '@ravi/monolith';
import { startServer } from './server.ts';
import type { TestServer } from './server.ts';
import type { StoreCase } from './state-stores.ts';

/** State and artifacts that several servers share. */
export interface SharedStore extends AsyncDisposable {
  readonly folder: string;
  readonly plugins: PluginsConfig;
  /** Starts one more server, in a folder of its own with its own data folder. */
  start(
    config?: RaviConfig,
    files?: Readonly<Record<string, string>>,
    options?: Partial<MonolithOptions>,
  ): Promise<TestServer>;
}

/** Creates an empty store for several servers. Dispose the servers first. */
export async function shareStore(store: StoreCase): Promise<SharedStore> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-shared-'));
  const plugins = { ...store.plugin(folder), blobStore: { use: '@ravi/blob-fs', root: join(folder, 'blobs') } };
  return {
    folder,
    plugins,
    start: (config = {}, files = {}, options = {}) =>
      startServer({ ...config, plugins: { ...config.plugins, ...plugins } }, files, { isServer: true, ...options }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
