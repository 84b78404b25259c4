import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLocalTool } from '@ravi/kernel';
import type { JsonObject, Tool, ToolSource } from '@ravi/kernel';
import { createFakeClock, createMemoryLogger } from '@ravi/testkit';
import { pluginContract } from '@ravi/testkit/plugin';
import { toolContract } from '@ravi/testkit/tool';
import { toolSourceContract } from '@ravi/testkit/tool-source';
import { afterAll, describe, test } from 'vitest';
import plugin from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'ravi-files-contract-'));
writeFileSync(join(folder, 'a.json'), '["a"]');
afterAll(() => rm(folder, { recursive: true, force: true }));

const options = { root: folder, maxFileBytes: 1_000_000, maxReadBytes: 1_000_000, requireRead: false };
const context = { baseDir: folder, clock: createFakeClock(), logger: createMemoryLogger() };

async function createSource(): Promise<ToolSource> {
  return plugin.create(options, context);
}

describe('plugin', () => {
  pluginContract(test, plugin, { root: folder });
});

describe('source', () => {
  toolSourceContract(test, async () => ({ source: await createSource() }));
});

/** Arguments that succeed again and again. A deletion and what it needs cannot, so their own tests are for them. */
const samples: Readonly<Record<string, JsonObject>> = {
  read: { path: 'a.json' },
  write: { path: 'w/new.txt', content: 'x' },
  append: { path: 'log.txt', content: 'x\n' },
  json_read: { path: 'a.json', pointer: '/0' },
  json_write: { path: 'b.json', pointer: '', value: { a: 1 } },
  diff_create: { path: 'a.json', text: 'b' },
};

const opened = await (await createSource()).open({ signal: new AbortController().signal, onChange: () => {} });
const tools = opened.content().tools.filter((tool): tool is Tool => isLocalTool(tool));

for (const [name, args] of Object.entries(samples)) {
  describe(name, () => {
    let artifacts = 0;
    toolContract(test, tools.find((tool) => tool.name === name) as Tool, args, {
      context: { storeArtifact: async () => `blob_${(artifacts += 1)}` },
    });
  });
}

test('every tool has documentation, a risk, a schema of its result and a name of its own', () => {
  const names = [
    'read',
    'write',
    'append',
    'edit',
    'multi_edit',
    'delete',
    'json_read',
    'json_write',
    'diff_create',
    'diff_apply',
    'undo',
  ];
  assert.deepEqual(
    tools.map(({ name }) => name),
    names,
  );
  for (const tool of tools) {
    assert.match(tool.documentation?.() ?? '', /\.$/u);
    assert.equal(tool.risk, ['read', 'json_read', 'diff_create'].includes(tool.name) ? 'safe' : 'high');
    assert.equal(tool.outputSchema?.['type'], 'object');
    assert.equal(tool.inputSchema['additionalProperties'], false);
  }
});

test('a folder that does not exist is an error of the configuration', async () => {
  const source = await plugin.create({ ...options, root: 'none' }, context);
  const opening = source.open({ signal: new AbortController().signal, onChange: () => {} });
  await assert.rejects(opening, { code: 'E_CONFIG_INVALID' });
});
