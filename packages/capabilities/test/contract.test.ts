import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Toolbox } from '@ravi/invoker';
import { defineTool } from '@ravi/kernel';
import type { SnippetStore } from '@ravi/kernel';
import { snippetStoreContract } from '@ravi/testkit/snippet-store';
import { toolContract } from '@ravi/testkit/tool';
import { toolSourceContract } from '@ravi/testkit/tool-source';
import { test } from 'vitest';
import { createDiscoveryTools, createFolderSnippetStore, createFolderToolSource } from '../src/index.ts';

const root = mkdtempSync(join(tmpdir(), 'ravi-snippets-'));
process.on('exit', () => rmSync(root, { recursive: true, force: true }));
const folders = new WeakMap<SnippetStore, string>();
let count = 0;

function openStore(folder: string): SnippetStore {
  const store = createFolderSnippetStore(folder);
  folders.set(store, folder);
  return store;
}

snippetStoreContract(test, () => openStore(join(root, 'missing', String(++count))), {
  reopen: (store) => openStore(folders.get(store)!),
});

const mail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail',
  inputSchema: { type: 'object' },
  execute: () => 'sent',
});
const [search, describe] = createDiscoveryTools(new Toolbox([mail]));
toolContract(test, search!, { query: 'mail' });
toolContract(test, describe!, { name: 'send_mail' });

const mailFile = `export default { name: 'send_mail', description: 'Sends a mail', inputSchema: {}, execute() {} };`;
writeFileSync(join(root, 'mail.mjs'), mailFile);
toolSourceContract(test, () => ({ source: createFolderToolSource(root, { name: 'tools' }) }));
