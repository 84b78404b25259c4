import { join } from 'node:path';
import { build } from 'tsup';
import type { Options } from 'tsup';

import { bundleOptions } from '../build/bundle-options.ts';
import { root, workspacePackages } from '../lib/workspace.ts';

/** Bundles programs of the repository, with everything they import, so that the oldest supported Node runs them. */
export async function bundlePrograms(programs: Readonly<Record<string, string>>, outDir: string): Promise<void> {
  const paths = new Map(workspacePackages().map(({ folder, manifest }) => [manifest.name, { folder, manifest }]));
  const scripted = join(root, 'scripts/programs/scripted-over-http.ts');
  await build({
    entry: { ...programs },
    outDir,
    outExtension: () => ({ js: '.mjs' }),
    config: false,
    format: ['esm'],
    platform: 'node',
    splitting: true,
    noExternal: [/.*/],
    silent: true,
    ...options(),
  });

  function options(): Pick<Options, 'target' | 'esbuildPlugins' | 'esbuildOptions' | 'inject'> {
    const resolver: NonNullable<Options['esbuildPlugins']>[number] = {
      name: 'workspace',
      setup(bundler) {
        bundler.onResolve({ filter: /^@ravi\// }, ({ path }) => {
          if (path === '@ravi/testkit') return { path: scripted };
          const [scope, name, ...inside] = path.split('/');
          const found = paths.get(`${scope}/${name}`);
          const entry = found?.manifest.exports?.[['.', ...inside].join('/')];
          return found === undefined || entry === undefined ? undefined : { path: join(root, found.folder, entry) };
        });
      },
    };
    return { ...bundleOptions([20, 19]), esbuildPlugins: [resolver] };
  }
}
