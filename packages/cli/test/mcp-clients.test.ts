import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { connectOver, textOf } from '@ravi/mcp-testing';
import { test } from 'vitest';
import { createFolder } from './support/folder.ts';

const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/mcp-gateway.md'), 'utf8');
const entry = join(import.meta.dirname, '../src/main.ts');

/** Command line of an entry. */
interface Entry {
  readonly command: string;
  readonly args: readonly string[];
}

type Reader = (block: string) => Entry;

const ofJson =
  (...keys: readonly string[]): Reader =>
  (block) => {
    let value: unknown = JSON.parse(block);
    for (const key of keys) value = (value as Readonly<Record<string, unknown>>)[key];
    const { command, args = [], type } = value as { command: string | string[]; args?: string[]; type?: string };
    assert.ok(type === undefined || type === 'stdio' || type === 'local');
    const [program = '', ...more] = [command].flat();
    return { command: program, args: [...more, ...args] };
  };

// Values of this block are strings and lists of strings, which TOML writes as JSON does.
const ofToml: Reader = (block) => {
  const [head, ...lines] = block.trim().split('\n');
  assert.equal(head, '[mcp_servers.ravi]');
  const pairs = lines.map((line) => line.split(' = ', 2) as [string, string]);
  return Object.fromEntries(pairs.map(([key, value]) => [key, JSON.parse(value) as unknown])) as unknown as Entry;
};

const clients: Readonly<Record<string, Reader>> = {
  'claude-desktop': ofJson('mcpServers', 'ravi'),
  'claude-code': ofJson('mcpServers', 'ravi'),
  cursor: ofJson('mcpServers', 'ravi'),
  vscode: ofJson('servers', 'ravi'),
  codex: ofToml,
  opencode: ofJson('mcp', 'servers', 'ravi'),
};

for (const [name, read] of Object.entries(clients)) {
  test(`the entry of the guide for ${name} starts a server that runs a script`, async () => {
    const [, block = ''] =
      new RegExp(`<!-- client: ${name} -->\n\n\`\`\`(?:json|toml)\n([^]*?)\`\`\``).exec(guide) ?? [];
    const { command, args } = read(block);
    // The installed command in both forms: npx downloads nothing.
    const isNpx = command === 'npx';
    if (isNpx) assert.deepEqual(args.slice(0, 2), ['--no', 'ravi']);
    else assert.equal(command, '/path/to/project/node_modules/.bin/ravi');
    const rest = args.slice(isNpx ? 2 : 0);
    assert.deepEqual(rest.slice(0, 2), ['mcp', 'serve']);
    await using own = await createFolder();
    // The command `ravi` of this repository, and a folder that exists.
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [entry, ...rest.map((arg) => arg.replace('/path/to/project', own.folder))],
      cwd: own.folder,
      stderr: 'ignore',
    });
    await using mcp = await connectOver(transport, '2025-11-25');
    assert.equal(textOf(await mcp.execute('return await tools.add({ a: 1, b: 2 })')), '3');
  });
}

test('each entry of the guide belongs to a client that a test reads', () => {
  const named = [...guide.matchAll(/<!-- client: (\S+) -->/g)].map(([, name]) => name);
  assert.deepEqual(named, Object.keys(clients));
});
