import { defineConfig } from 'tsup';

/** The one build of every published package: ESM for the browser-neutral platform it declares, one file an entry. */
export function packageBuild(entry: string[]): ReturnType<typeof defineConfig> {
  return defineConfig({
    entry,
    format: ['esm'],
    target: 'node22',
    platform: 'neutral',
    clean: true,
    splitting: true,
    sourcemap: true,
  });
}
