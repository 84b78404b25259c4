import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { PluginEntry } from '@ravi/host';
import { test } from 'vitest';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const root = './project';
const allowAll: PluginEntry = { use: '@ravi/approval-auto', rules: [{ decision: 'approved' }] };
const files = {
  'project/notes.txt': 'one\ntwo\nthree\n',
  'project/package.json': '{ "name": "demo", "scripts": { "test": "vitest run" } }\n',
  'project/tsconfig.json': '{ "compilerOptions": { "strict": true, "noEmit": true } }',
  'project/src/sum.ts':
    'export function sum(a: number, b: number): number {\n  return a + b;\n}\nexport const three = sum(1, 2);\n',
};

function startWith(...toolSource: readonly PluginEntry[]): Promise<TestServer> {
  return startServer({ plugins: { toolSource: [...toolSource], approvalHandler: allowAll } }, files);
}

test('a script appends, edits in several places, and makes and applies a patch', async () => {
  await using server = await startWith({ use: '@ravi/tools-files', root });
  const { body } = await server.chain(`
    await tools.read({ path: 'notes.txt' });
    await tools.append({ path: 'notes.txt', content: 'four\\n' });
    await tools.multi_edit({ path: 'notes.txt', edits: [{ oldText: 'one', newText: '1' }, { oldText: 'four', newText: '4' }] });
    const { patch, added, removed } = await tools.diff_create({ path: 'notes.txt', text: '1\\n2\\nthree\\n4\\n' });
    await tools.diff_apply({ patch });
    const { text } = await tools.read({ path: 'notes.txt' });
    const { value } = await tools.json_read({ path: 'package.json', pointer: '/scripts/test' });
    await tools.write({ path: 'new.txt', content: text });
    await tools.delete({ path: 'new.txt' });
    return [text, added, removed, value];`);
  assert.deepEqual(body.value, ['1\n2\nthree\n4\n', 1, 1, 'vitest run'], JSON.stringify(body));
});

test('a script searches a project by regular expression, lists its folders and runs Python', async () => {
  await using server = await startWith({ use: '@ravi/tools-search', root }, { use: '@ravi/tools-shell', root });
  const { body } = await server.chain(`
    const { matches } = await tools.code_search({ pattern: 'sum\\\\(\\\\d', glob: '*.ts' });
    const { entries } = await tools.tree({});
    const { output, exitCode } = await tools.code_exec({ code: 'print(6 * 7)' });
    return [matches.map(({ path, line }) => [path, line]), entries.length > 3, output, exitCode];`);
  assert.deepEqual(body.value, [[['src/sum.ts', 4]], true, '42\n', 0], JSON.stringify(body));
});

test('a script makes a repository, commits and goes back, and asks a language server', async () => {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const typescript = { command: [process.execPath, tsc, '--lsp', '--stdio'], extensions: ['.ts'] };
  await using server = await startWith(
    { use: '@ravi/tools-git', root, identity: { name: 'Robot', email: 'robot@example.com' } },
    { use: '@ravi/tools-lsp', root, servers: { typescript, python: false } },
  );
  const { body } = await server.chain(`
    await tools.git_init({ branch: 'main' });
    await tools.git_add({ paths: ['.'] });
    const { commit } = await tools.git_commit({ message: 'First' });
    await tools.git_switch({ branch: 'feature', create: true });
    const { commits } = await tools.git_log({});
    const { files } = await tools.git_status({});
    const { definitions } = await tools.lsp_definition({ path: 'src/sum.ts', line: 4, symbol: 'sum' });
    const { text } = await tools.lsp_hover({ path: 'src/sum.ts', line: 4, symbol: 'sum' });
    return [commits.map(({ hash }) => hash === commit.hash), files, definitions.map(({ path, line }) => [path, line]), text.includes('number')];`);
  assert.deepEqual(body.value, [[true], [], [['src/sum.ts', 1]], true], JSON.stringify(body));
});
