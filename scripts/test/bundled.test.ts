import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { build } from 'tsup';
import { afterAll, test } from 'vitest';

import { root } from '../lib/workspace.ts';

const folder = mkdtempSync(join(tmpdir(), 'ravi-bundled-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A program in one file, as a consumer's bundler makes it, and what it prints. */
async function runBundled(
  name: string,
  source: string,
  { hasExternals = true, ...options }: { hasExternals?: boolean; keepNames?: boolean; minify?: boolean } = {},
): Promise<string> {
  const outDir = join(folder, name);
  mkdirSync(outDir);
  if (hasExternals)
    symlinkSync(join(root, 'packages/sandboxes/isolated-vm/node_modules'), join(outDir, 'node_modules'));
  const entry = join(outDir, 'program.ts');
  writeFileSync(entry, source);
  await build({
    entry: [entry],
    outDir,
    outExtension: () => ({ js: '.mjs' }),
    config: false,
    format: ['esm'],
    target: 'node24',
    platform: 'node',
    noExternal: [/^@ravi\//],
    external: ['isolated-vm'],
    silent: true,
    ...options,
  });
  // Without NODE_PATH, by which a package manager may have started the tests.
  const { stdout, stderr } = spawnSync(process.execPath, [join(outDir, 'program.mjs')], { encoding: 'utf8', env: {} });
  return stdout + stderr;
}

/** Every prelude in both sandboxes. */
const everyPrelude = `
import { createIsolatedVmSandbox } from '${root}/packages/sandboxes/isolated-vm/src/index.ts';
import { createVmSandbox } from '${root}/packages/sandboxes/vm/src/index.ts';
import { javascriptPrelude } from '${root}/packages/capabilities/src/chain/prelude/source.ts';

const limits = {
  wallTimeMs: 60_000, cpuTimeMs: 10_000, memoryBytes: 67_108_864, maxConsoleBytes: 1_000, maxResultBytes: 1_000,
  maxCalls: 5, maxInFlight: 2,
};
for (const sandbox of [createIsolatedVmSandbox(), createVmSandbox({ unsafe: true })]) {
  for (const prelude of [false, true].map((isDurable) => javascriptPrelude({ isDurable, toolNames: ['echo'] }))) {
    const outcome = await sandbox.run({
      language: 'javascript',
      code: 'console.log([new TextEncoder()]); return [typeof tools, typeof file, typeof __name];',
      prelude, principal: 'ada', limits, bridge: async () => '', onConsole: () => undefined,
    });
    console.log(sandbox.name, outcome.value ?? outcome);
  }
  await sandbox[Symbol.asyncDispose]();
}
`;
const ran = `isolated-vm ["object","function","undefined"]
isolated-vm ["object","function","undefined"]
vm ["object","function","undefined"]
vm ["object","function","undefined"]
`;

test('scripts run where a bundler keeps the names of functions, and do not see how', async () => {
  assert.equal(await runBundled('names-kept', everyPrelude, { keepNames: true }), ran);
});

test('scripts run where a bundler shortens names', async () => {
  assert.equal(await runBundled('minified', everyPrelude, { minify: true }), ran);
});

test('a bundle that is moved away from isolated-vm says that the package is missing, not the platform', async () => {
  const source = `
    import { createIsolatedVmSandbox } from '${root}/packages/sandboxes/isolated-vm/src/index.ts';
    createIsolatedVmSandbox();`;
  const printed = await runBundled('moved', source, { hasExternals: false });
  assert.match(printed, /The package isolated-vm is not found: install it, and leave it external when you bundle/);
});
