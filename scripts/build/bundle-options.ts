import { join } from 'node:path';
import type { Options } from 'tsup';

import type { OldestNode } from './node-range.ts';

/** First version of Node with all globals that `older-node.ts` replaces. */
const nodeWithGlobals = 22;

/** Returns the options that let a build run on the oldest Node of its target. */
export function bundleOptions([major]: OldestNode): Pick<Options, 'target' | 'esbuildOptions' | 'inject'> {
  const isOlder = major < nodeWithGlobals;
  return {
    target: `node${major}`,
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
