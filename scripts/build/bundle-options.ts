import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Options } from 'tsup';

import { nodeCheck } from './node-range.ts';
import type { OldestNode } from './node-range.ts';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** Entry file of a build and the check that it starts with. */
export interface CheckedEntry {
  /** Absolute path. */
  readonly path: string;
  /** A program ends with the sentence of a failed check; a library throws it. */
  readonly kind: 'program' | 'library';
}

/** Options of {@link bundleOptions}. */
export interface BundleTarget {
  /** Name in the sentence of a failed check. */
  readonly name: string;
  readonly oldest: OldestNode;
  readonly entries: readonly CheckedEntry[];
}

/** First version of Node with all globals that `older-node.ts` replaces. */
const nodeWithGlobals = 22;

/** Returns the options that let a build run on the oldest Node of its target and say so on an older one. */
export function bundleOptions(
  target: BundleTarget,
): Pick<Options, 'target' | 'esbuildPlugins' | 'esbuildOptions' | 'inject'> {
  const [major] = target.oldest;
  const isOlder = major < nodeWithGlobals;
  return {
    target: `node${major}`,
    esbuildPlugins: [checkedEntries(target)],
    ...(isOlder ? { inject: [join(import.meta.dirname, 'older-node.ts')] } : {}),
    esbuildOptions(options) {
      if (!isOlder) return;
      options.define = {
        ...options.define,
        'Promise.withResolvers': 'withResolvers',
        'Map.groupBy': 'groupAsMap',
        'Object.groupBy': 'groupAsObject',
      };
    },
  };
}

const namespace = 'node-check';

// The check is a module that the entry imports first: modules run in the order of their imports.
function checkedEntries({ name, oldest, entries }: BundleTarget): Plugin {
  const kinds = new Map(entries.map(({ path, kind }) => [path, kind]));
  return {
    name: namespace,
    setup(build) {
      build.onLoad({ filter: /\.ts$/, namespace: 'file' }, ({ path }) => {
        const kind = kinds.get(path);
        if (kind === undefined) return undefined;
        const [shebang = ''] = /^#!.*\n/.exec(readFileSync(path, 'utf8')) ?? [];
        const source = readFileSync(path, 'utf8').slice(shebang.length);
        return { contents: `${shebang}import '${namespace}:${kind}'; ${source}`, loader: 'ts' };
      });
      build.onResolve({ filter: new RegExp(`^${namespace}:`) }, ({ path }) => ({
        path: path.slice(namespace.length + 1),
        namespace,
        sideEffects: true,
      }));
      build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: nodeCheck(name, oldest, path as CheckedEntry['kind']),
        loader: 'js',
      }));
    },
  };
}
