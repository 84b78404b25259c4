import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { callUnprivileged } from '@ravi/testkit/unprivileged';
import { expect, test } from 'vitest';
import { createLspFolder, typescriptCommand } from './support/lsp-folder.ts';

test('a file that may not be read or replaced is named, and a rename says what was written before it', async () => {
  const servers = { typescript: { command: [...typescriptCommand], extensions: ['.ts'] }, python: false as const };
  await using folder = await createLspFolder(
    { servers },
    {
      'tsconfig.json': '{ "compilerOptions": { "strict": true, "noEmit": true } }',
      'closed.ts': 'export const one = 1;\n',
      'a.ts': 'export const two = 2;\n',
      'fixed/b.ts': "import { two } from '../a';\nexport const three = two + 1;\n",
    },
  );
  const { root, base } = folder;
  chmodSync(base, 0o755);
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', '65534:65534', root]);
  chmodSync(join(root, 'closed.ts'), 0o000);
  chmodSync(join(root, 'fixed'), 0o555);
  const rename = { path: 'a.ts', symbol: 'two', newName: 'deux' };
  const made = await callUnprivileged({
    plugin: join(import.meta.dirname, '../src/index.ts'),
    options: { root, servers },
    folder: root,
    calls: [
      ['lsp_hover', { path: 'closed.ts', symbol: 'one' }],
      ['lsp_diagnostics', { path: 'closed.ts' }],
      ['lsp_rename', rename],
      ['lsp_hover', { path: 'fixed/b.ts', symbol: 'three' }],
    ],
  });
  chmodSync(join(root, 'fixed'), 0o755);
  expect(made.map(({ code }) => code)).toEqual(['E_FILE_FORBIDDEN', 'E_FILE_FORBIDDEN', 'E_FILE_FORBIDDEN', 'ok']);
  expect(made[2]?.text).toContain('"fixed/b.ts" may not be accessed. Written before it: a.ts');
  for (const { text } of made) expect(text).not.toContain(base);
  expect(folder.read('a.ts')).toBe('export const deux = 2;\n');
  expect(folder.read('fixed/b.ts')).toContain('two + 1');
});
