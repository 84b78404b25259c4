import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

/** Returns the errors of TypeScript for these files, each on its own; empty when it accepts them. */
export function typeErrors(files: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'ravi-declarations-'));
  try {
    // Modules, so that the files do not see each other's declarations.
    for (const [index, text] of files.entries())
      writeFileSync(join(folder, `declarations-${index}.ts`), `${text}\nexport {};\n`);
    const options = { strict: true, noEmit: true, target: 'es2024', lib: ['es2024'], types: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));
    const result = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], { encoding: 'utf8' });
    if (result.status === null) throw result.error ?? new Error('the compiler did not end');
    return result.stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
