import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { nodeCheck } from './node-range.ts';
import type { OldestNode } from './node-range.ts';

/** Entry file of a build and the check that it starts with. */
export interface CheckedEntry {
  /** Name in the output folder, such as `index.js`. */
  readonly file: string;
  /** A program ends with the sentence of a failed check; a library throws it. */
  readonly kind: 'program' | 'library';
}

/**
 * Puts the check of the version of Node in front of the entries of a build. It is a file of its own, which each entry
 * imports first: a module runs after everything it imports, and a library that it imports may fail on an old Node.
 */
export function writeNodeChecks(
  outDir: string,
  target: { readonly name: string; readonly oldest: OldestNode; readonly entries: readonly CheckedEntry[] },
): void {
  for (const { file, kind } of target.entries) {
    const check = `node-check-${kind}.js`;
    writeFileSync(join(outDir, check), `${nodeCheck(target.name, target.oldest, kind)}\nexport {};\n`);
    const path = join(outDir, file);
    const source = readFileSync(path, 'utf8');
    const [shebang = ''] = /^#!.*\n/.exec(source) ?? [];
    // On the first line of the code, so that the lines of its source map stay.
    writeFileSync(path, `${shebang}import './${check}'; ${source.slice(shebang.length)}`);
  }
}
