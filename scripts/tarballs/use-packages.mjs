// Runs inside a project that has only the packed packages, as a user of npm would.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const names = readdirSync(join(import.meta.dirname, 'node_modules/@ravi')).map((name) => `@ravi/${name}`);
for (const name of names) assert.match(import.meta.resolve(name), /\/dist\/index\.js$/);

const modules = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await import(name)])));
const { defineTool } = modules['@ravi/kernel'];
const { Toolbox, ToolInvoker } = modules['@ravi/invoker'];
const { runChain } = modules['@ravi/capabilities'];
const { createFsBlobStore } = modules['@ravi/blob-fs'];
const { createIsolatedVmSandbox } = modules['@ravi/sandbox-isolated-vm'];

const rows = defineTool({
  name: 'rows',
  description: 'Many rows.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  execute: () => Array.from({ length: 2_000 }, (_, id) => ({ id })),
});

const folder = await mkdtemp(join(tmpdir(), 'ravi-use-packages-'));
const sandbox = createIsolatedVmSandbox();
try {
  const artifactStore = createFsBlobStore({ root: folder });
  const invoker = new ToolInvoker({ registry: new Toolbox([rows]), artifactStore });
  const code =
    'enum Size { Full = 2000 }\nconst all: { id: number }[] = await tools.rows({});\nall.length === Size.Full';
  const result = await runChain({ code, invoker, sandbox });
  assert.equal(result.value, true, result.outputText);
  assert.ok(result.callTrace[0]?.artifactRef);
  console.log(`${names.length} packages work together`);
} finally {
  await sandbox[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
}
