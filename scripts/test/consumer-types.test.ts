import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, test } from 'vitest';

import { root } from '../lib/workspace.ts';

const folder = mkdtempSync(join(tmpdir(), 'ravi-consumer-types-'));
afterAll(() => rmSync(folder, { recursive: true }));

const packages = ['kernel', 'support', 'invoker', 'agents', 'api', 'client', 'providers/kit', 'providers/openai'];

const program = `
import { ReActAgent } from '@ravi/agents';
import { createClient } from '@ravi/client';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { defineTool } from '@ravi/kernel';
import { createOpenAiProvider } from '@ravi/provider-openai';

const add = defineTool({
  name: 'add', description: 'Adds one.', risk: 'safe',
  inputSchema: { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] },
  execute: ({ value }) => value + 1,
});
export const invoker = new ToolInvoker({ registry: new Toolbox([add]) });
export const model = createOpenAiProvider({ model: 'any' });
export const agent = new ReActAgent({ name: 'adder', model, invoker });
export const client = createClient({ baseUrl: 'http://127.0.0.1:7341' });
`;

// The declarations as npm installs them, next to those of Node.
beforeAll(() => {
  for (const path of packages) {
    const source = join(root, 'packages', path);
    const { name, publishConfig } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
      readonly name: string;
      readonly publishConfig: { readonly exports: object };
    };
    const installed = join(folder, 'node_modules', name);
    mkdirSync(installed, { recursive: true });
    writeFileSync(
      join(installed, 'package.json'),
      JSON.stringify({ name, type: 'module', exports: publishConfig.exports }),
    );
    const builder = join(root, 'scripts/build-package.ts');
    const built = spawnSync(process.execPath, [builder, '--types-to', join(installed, 'dist')], { cwd: source });
    assert.equal(built.status, 0, String(built.stderr));
  }
  mkdirSync(join(folder, 'node_modules/@types'));
  symlinkSync(realpathSync(join(root, 'node_modules/@types/node')), join(folder, 'node_modules/@types/node'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'main.ts'), program);
}, 240_000);

/** Compiles the program with these settings, and checks the declarations too. Returns the errors. */
function errorsWith(settings: object): readonly string[] {
  const compilerOptions = { module: 'nodenext', strict: true, skipLibCheck: false, noEmit: true, ...settings };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes('error TS'));
}

const timeout = 120_000;

test('a program compiles with "types": ["node"], as the page of Node versions says', { timeout }, () => {
  assert.deepEqual(errorsWith({ types: ['node'] }), []);
});

test('a program compiles with "lib": ["esnext", "dom"] and without the types of Node', { timeout }, () => {
  assert.deepEqual(errorsWith({ lib: ['esnext', 'dom'], types: [] }), []);
});

test('without either setting the compiler names the missing types', { timeout }, () => {
  assert.match(errorsWith({ lib: ['esnext'], types: [] }).join('\n'), /Cannot find name 'AbortSignal'/);
});
