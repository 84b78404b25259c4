import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { buildJavaScript } from './lib/build-javascript.ts';

/**
 * Builds the package of the current folder into `dist`: one JavaScript file for each source file that its `exports` and
 * `bin` name and for each argument (a program that is started by path), and the declarations of everything in `src`. Each
 * file checks the version of Node first. With `--types-to <folder>` it writes only the declarations, to that folder.
 */
async function buildPackage(folder: string, programs: readonly string[]): Promise<void> {
  await buildJavaScript({ folder, programs, outDir: join(folder, 'dist') });
  emitDeclarations(folder, join(folder, 'dist'));
}

function emitDeclarations(folder: string, outDir: string): void {
  const compiler = join(import.meta.dirname, '../node_modules/typescript/bin/tsc');
  // `scripts/check-types.ts` checks the same files, all packages in one program.
  const args = ['-p', 'tsconfig.build.json', '--outDir', outDir, '--noCheck'];
  const result = spawnSync(process.execPath, [compiler, ...args], { cwd: folder, stdio: 'inherit' });
  if (result.status !== 0) throw new Error(`tsc failed in ${folder}`);
  for (const path of globSync('**/*.d.ts', { cwd: outDir })) {
    const file = join(outDir, path);
    writeFileSync(file, withJavaScriptSpecifiers(readFileSync(file, 'utf8')));
  }
}

/** The compiler rewrites `./x.ts` to `./x.js` in JavaScript only; consumers resolve declarations by the same names. */
function withJavaScriptSpecifiers(declarations: string): string {
  return declarations.replace(/((?:from|import)\s*\(?\s*['"]\.{1,2}\/[^'"]+)\.ts(['"])/g, '$1.js$2');
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'types-to': { type: 'string' } } });
const typesTo = values['types-to'];
if (typesTo === undefined) await buildPackage(process.cwd(), positionals);
else emitDeclarations(process.cwd(), typesTo);
