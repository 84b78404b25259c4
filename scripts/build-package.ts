import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'tsup';

import { bundleOptions } from './build/bundle-options.ts';
import { oldestNode } from './build/node-range.ts';

interface Manifest {
  readonly name: string;
  readonly engines: { readonly node: string };
  readonly exports: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
}

/**
 * Builds the package of the current folder into `dist`: one JavaScript file for each source file that its `exports` and
 * `bin` name and for each argument (a program that is started by path), and the declarations of everything in `src`. Each
 * file checks the version of Node first.
 */
async function buildPackage(folder: string, programs: readonly string[]): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  // JavaScript for browsers is published unchanged.
  const exported = Object.values(manifest.exports).filter((path) => path.endsWith('.ts'));
  const started = [...exported.filter((path) => path.endsWith('/main.ts')), ...Object.values(manifest.bin ?? {})];
  const sources = [...exported, ...started, ...programs];
  const isProgram = (path: string): boolean => started.includes(path) || programs.includes(path);
  await build({
    entry: Object.fromEntries(sources.map((path) => [basename(path, '.ts'), path])),
    config: false,
    format: ['esm'],
    ...bundleOptions({
      name: started.length > 0 ? 'Ravi' : manifest.name,
      oldest: oldestNode(manifest.engines.node),
      entries: sources.map((path) => ({ path: join(folder, path), kind: isProgram(path) ? 'program' : 'library' })),
    }),
    platform: 'node',
    removeNodeProtocol: false,
    splitting: true,
    sourcemap: true,
    clean: true,
    silent: true,
  });
  emitDeclarations(folder);
}

function emitDeclarations(folder: string): void {
  const compiler = join(import.meta.dirname, '../node_modules/typescript/bin/tsc');
  const result = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
    cwd: folder,
    stdio: 'inherit',
  });
  if (result.status !== 0) throw new Error(`tsc failed in ${folder}`);
  for (const path of globSync('dist/**/*.d.ts', { cwd: folder })) {
    const file = join(folder, path);
    writeFileSync(file, withJavaScriptSpecifiers(readFileSync(file, 'utf8')));
  }
}

/** The compiler rewrites `./x.ts` to `./x.js` in JavaScript only; consumers resolve declarations by the same names. */
function withJavaScriptSpecifiers(declarations: string): string {
  return declarations.replace(/((?:from|import)\s*\(?\s*['"]\.{1,2}\/[^'"]+)\.ts(['"])/g, '$1.js$2');
}

await buildPackage(process.cwd(), process.argv.slice(2));
