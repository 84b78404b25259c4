import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plugin, Tool } from '@ravi/kernel';
import { silentLogger, systemClock } from '@ravi/kernel';
import agents from '@ravi/tools-agents';
import data from '@ravi/tools-data';
import files from '@ravi/tools-files';
import git from '@ravi/tools-git';
import lsp from '@ravi/tools-lsp';
import memory from '@ravi/tools-memory';
import messages from '@ravi/tools-messages';
import search from '@ravi/tools-search';
import shell from '@ravi/tools-shell';
import triggers from '@ravi/tools-triggers';
import web from '@ravi/tools-web';
import { test } from 'vitest';

const options = new Map<unknown, object>([
  [data, { connections: { shop: { sqlite: 'shop.db' } } }],
  [files, { maxFileBytes: 1_000_000, maxReadBytes: 100_000, requireRead: true }],
  [web, { search: { service: 'brave', key: 'no-real-key' } }],
]);

async function toolsOf(plugin: Plugin<'toolSource', never>, baseDir: string): Promise<readonly Tool[]> {
  const context = { baseDir, clock: systemClock, logger: silentLogger };
  const source = await plugin.create((options.get(plugin) ?? {}) as never, context);
  await using open = await source.open({ signal: new AbortController().signal, onChange() {} });
  return open.content().tools as readonly Tool[];
}

/** Returns true if a text names a tool: a name of two words anywhere, a name that is also a word in backticks or after "tool". */
function names(text: string, name: string): boolean {
  if (name.includes('_')) return new RegExp(`(?<![\\w"])${name}(?![\\w"])`, 'u').test(text);
  return new RegExp(`\`${name}\`|\\btools? ${name}\\b`, 'u').test(text);
}

test('no text about a tool names another tool, which the configuration may leave out', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-tool-texts-'));
  try {
    const all: Tool[] = [];
    for (const plugin of [agents, data, files, git, lsp, memory, messages, search, shell, triggers, web]) {
      all.push(...(await toolsOf(plugin, folder)));
    }
    assert.ok(all.length > 60, `${all.length} tools`);
    const found: string[] = [];
    for (const tool of all) {
      const schema = JSON.stringify(tool.inputSchema);
      const texts = {
        description: tool.description,
        hint: tool.promptHint,
        documentation: tool.documentation?.(),
        schema,
      };
      for (const [place, text = ''] of Object.entries(texts)) {
        for (const { name } of all) {
          // Some arguments and their values are words that are also names of tools.
          const isArgument = schema.includes(`"${name}"`);
          if (name !== tool.name && !isArgument && names(text, name)) found.push(`${place} of ${tool.name}: ${name}`);
        }
      }
    }
    assert.deepEqual(found, []);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
