import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'tsup';

import { bundleOptions } from '../build/bundle-options.ts';
import { oldestNode } from '../build/node-range.ts';
import { writeNodeChecks } from '../build/write-node-checks.ts';

interface Manifest {
  readonly name: string;
  readonly engines: { readonly node: string };
  readonly exports: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Options of {@link buildJavaScript}. */
export interface BuildOptions {
  /** Absolute path of the package. */
  readonly folder: string;
  /** Programs that are started by path, in addition to `exports` and `bin`. */
  readonly programs?: readonly string[];
  readonly outDir: string;
}

/**
 * Builds one JavaScript file for each source file that `exports` and `bin` of a package name, and for each program. Each
 * file checks the version of Node first.
 */
export async function buildJavaScript({ folder, programs = [], outDir }: BuildOptions): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  // JavaScript for browsers is published unchanged.
  const exported = Object.values(manifest.exports).filter((path) => path.endsWith('.ts'));
  const started = [...exported.filter((path) => path.endsWith('/main.ts')), ...Object.values(manifest.bin ?? {})];
  const sources = [...new Set([...exported, ...started, ...programs])];
  const isProgram = (path: string): boolean => started.includes(path) || programs.includes(path);
  const oldest = oldestNode(manifest.engines.node);
  const options = bundleOptions(oldest);
  await build({
    entry: Object.fromEntries(sources.map((path) => [basename(path, '.ts'), join(folder, path)])),
    outDir,
    config: false,
    format: ['esm'],
    ...options,
    platform: 'node',
    external: Object.keys(manifest.dependencies ?? {}).map((name) => new RegExp(`^${name}(/|$)`)),
    removeNodeProtocol: false,
    splitting: true,
    sourcemap: true,
    clean: true,
    silent: true,
    esbuildOptions(settings, context) {
      options.esbuildOptions?.(settings, context);
      settings.alias = { ...settings.alias, ...modulesOf(folder) };
    },
  });
  writeNodeChecks(outDir, {
    name: started.length > 0 ? 'Ravi' : manifest.name,
    oldest,
    entries: sources.map((path) => ({
      file: `${basename(path, '.ts')}.js`,
      kind: isProgram(path) ? 'program' : 'library',
    })),
  });
}

/**
 * Returns ES modules for libraries whose build for Node is CommonJS that requires built-ins: in a bundle of ES modules, by
 * us or by a user, that fails with "Dynamic require". They are development dependencies, so they are compiled in.
 */
function modulesOf(folder: string): Readonly<Record<string, string>> {
  const yaml = join(folder, 'node_modules/yaml/browser/index.js');
  return existsSync(yaml) ? { yaml } : {};
}
