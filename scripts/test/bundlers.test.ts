import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { build } from 'esbuild';
import { afterAll, beforeAll, test } from 'vitest';
import webpack from 'webpack';

import { buildJavaScript } from '../lib/build-javascript.ts';
import { root } from '../lib/workspace.ts';

const folder = mkdtempSync(join(tmpdir(), 'ravi-bundlers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const packages = ['kernel', 'support', 'invoker', 'agents', 'capabilities', 'sandboxes/kit', 'sandboxes/isolated-vm'];
const programs = ['src/source/compile-helper.ts', 'src/preflight/preflight-helper.ts'];

interface PublishedManifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly publishConfig: { readonly exports: object };
}

// The packages as npm installs them: what the build makes of them, and their libraries.
beforeAll(async () => {
  for (const path of packages) {
    const name = path.replace('sandboxes/', 'sandbox-');
    const installed = join(folder, 'node_modules/@ravi', name);
    mkdirSync(installed, { recursive: true });
    await buildJavaScript({
      folder: join(root, 'packages', path),
      outDir: join(installed, 'dist'),
      programs: name === 'capabilities' ? programs : [],
    });
    const { dependencies = {}, publishConfig } = JSON.parse(
      readFileSync(join(root, 'packages', path, 'package.json'), 'utf8'),
    ) as PublishedManifest;
    const manifest = { name: `@ravi/${name}`, type: 'module', exports: publishConfig.exports };
    writeFileSync(join(installed, 'package.json'), JSON.stringify(manifest));
    for (const library of Object.keys(dependencies).filter((each) => !each.startsWith('@ravi/'))) {
      linkLibrary(join(root, 'packages', path, 'node_modules', library), library);
    }
  }
}, 120_000);

function linkLibrary(from: string, name: string): void {
  const link = join(folder, 'node_modules', name);
  if (existsSync(link)) return;
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(realpathSync(from), link);
}

const program = `
import { defineTool } from '@ravi/kernel';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { loadFolderSkills, runChain } from '@ravi/capabilities';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';

const add = defineTool({
  name: 'add', description: 'Adds.', risk: 'safe',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
  execute: ({ a, b }) => a + b,
});
const invoker = new ToolInvoker({ registry: new Toolbox([add]) });
console.log('call', (await invoker.invoke({ name: 'add', args: { a: 1, b: 2 } }, { session: invoker.openSession() })).text);
const { skills } = await loadFolderSkills('skills');
console.log('skills', skills.map(({ name }) => name).join());
const sandbox = createIsolatedVmSandbox();
const run = (code) => runChain({ code, invoker, sandbox, preflight: false }).then(({ value }) => value, ({ message }) => message);
console.log('script', await run('return await tools.add({ a: 3, b: 4 });'));
console.log('TypeScript', await run('enum Size { Full = 5 }\\nreturn Size.Full;'));
await sandbox[Symbol.asyncDispose]();
`;
const printed = ['call 3', 'skills greet', 'script 7'];
const compilerMissing =
  'The script compiler cannot start: The file compile-helper.js is missing: leave @ravi/capabilities external when you bundle';

/** Runs a bundle in its folder and returns the lines that it prints, errors included. */
function runBundle(file: string): readonly string[] {
  const { stdout, stderr } = spawnSync(process.execPath, [file], { cwd: folder, encoding: 'utf8', env: {} });
  return (stdout + stderr).trim().split('\n');
}

function writeProgram(): string {
  mkdirSync(join(folder, 'skills/greet'), { recursive: true });
  writeFileSync(join(folder, 'skills/greet/SKILL.md'), '---\nname: greet\ndescription: Greets.\n---\nSay hello.\n');
  const entry = join(folder, 'program.mjs');
  writeFileSync(entry, program);
  return entry;
}

/** Bundles the program with esbuild into a folder of its own, where nothing lies next to it. */
async function withEsbuild(name: string, external: string[]): Promise<string> {
  const outfile = join(folder, name, 'program.mjs');
  const options = { bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' } as const;
  await build({ ...options, entryPoints: [writeProgram()], outfile, external });
  return outfile;
}

/** Bundles the program with webpack. Returns the file and the warnings. */
async function withWebpack(name: string, external: readonly string[]): Promise<{ file: string; warnings: number }> {
  const compiler = webpack({
    mode: 'production',
    target: 'node24',
    context: folder,
    entry: writeProgram(),
    experiments: { outputModule: true },
    externalsType: 'module',
    externals: [...external],
    optimization: { minimize: false },
    output: { path: join(folder, name), filename: 'program.mjs', module: true, chunkFormat: 'module' },
  });
  const { promise, resolve, reject } = Promise.withResolvers<{ errors: unknown[]; warnings: unknown[] }>();
  compiler.run((error, stats) =>
    error || stats === undefined ? reject(error ?? new Error('no result')) : resolve(stats.compilation),
  );
  const { errors, warnings } = await promise;
  assert.deepEqual(errors, []);
  return { file: join(folder, name, 'program.mjs'), warnings: warnings.length };
}

test('esbuild: a bundle with the external packages of the bundling guide runs', { timeout: 60_000 }, async () => {
  const file = await withEsbuild('esbuild', ['isolated-vm', '@ravi/capabilities']);
  assert.deepEqual(runBundle(file), [...printed, 'TypeScript 5']);
});

test(
  'esbuild: a bundle of everything runs; only the compiler of scripts says what is missing',
  { timeout: 60_000 },
  async () => {
    const file = await withEsbuild('esbuild-all', ['isolated-vm']);
    assert.deepEqual(runBundle(file), [...printed, `TypeScript ${compilerMissing}`]);
  },
);

test('webpack: a bundle with the external packages of the bundling guide runs', { timeout: 120_000 }, async () => {
  const { file, warnings } = await withWebpack('webpack', ['isolated-vm', '@ravi/capabilities']);
  assert.deepEqual(runBundle(file), [...printed, 'TypeScript 5']);
  assert.equal(warnings, 0);
});
