import { expect, test } from 'vitest';
import { createLspFolder, pyrightCommand } from './support/lsp-folder.ts';

test('pyright finds definitions, reports errors as the file is now, and renames', async () => {
  await using folder = await createLspFolder(
    { servers: { typescript: false, python: { command: pyrightCommand, extensions: ['.py'] } } },
    {
      'shop.py': 'def with_tax(price: float) -> float:\n    return price * 1.2\n',
      'main.py': 'from shop import with_tax\n\ntotal: float = with_tax(10)\n',
    },
  );
  const { definitions } = await folder.value('lsp_definition', { path: 'main.py', symbol: 'with_tax', line: 3 });
  expect(definitions).toMatchObject([{ path: 'shop.py', line: 1, column: 5 }]);
  expect(await folder.value('lsp_diagnostics', { path: 'main.py' })).toEqual({ diagnostics: [], more: 0 });
  folder.write('main.py', 'from shop import with_tax\n\ntotal: str = with_tax(10)\n');
  const { diagnostics } = await folder.value('lsp_diagnostics', { path: 'main.py' });
  expect(diagnostics).toMatchObject([{ line: 3, severity: 'error', source: 'Pyright' }]);
  await folder.value('lsp_rename', { path: 'shop.py', symbol: 'with_tax', newName: 'add_tax' });
  expect(folder.read('main.py')).toBe('from shop import add_tax\n\ntotal: str = add_tax(10)\n');
});
