import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createWorkspaceTools, LocalFilesystem, Workspace, WORKSPACE_TOOLS } from '@mastra/core/workspace';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { JsonObject } from '@ravi/kernel';

/** Tools of another project for files and searches in a folder. Paths are relative to it. */
export interface FilePeer extends AsyncDisposable {
  readonly name: string;
  read(path: string): Promise<string>;
  /** Replaces a text that is in the file once. */
  edit(path: string, oldText: string, newText: string): Promise<string>;
  /** Lists the files whose names end with `.ts`. */
  glob(): Promise<string>;
  /** Finds lines; absent if there is no such tool. */
  grep?(pattern: string): Promise<string>;
}

/** Opens the peers over a folder: the official MCP server over its transport, and the tools of Mastra in this process. */
export async function openFilePeers(folder: string): Promise<readonly FilePeer[]> {
  return [await openServer(folder), await openMastra(folder)];
}

async function openServer(folder: string): Promise<FilePeer> {
  const root = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json'));
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } });
  const server = { command: process.execPath, args: [join(root, 'dist/index.js'), folder], stderr: 'ignore' as const };
  await client.connect(new StdioClientTransport(server));
  const call = async (name: string, args: JsonObject): Promise<string> => {
    const { isError, content } = await client.callTool({ name, arguments: args }, { timeout: 600_000 });
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    if (isError === true) throw new TypeError(`${name} failed: ${text.slice(0, 200)}`);
    return text;
  };
  return {
    name: 'server-filesystem',
    read: (path) => call('read_text_file', { path: join(folder, path) }),
    edit: (path, oldText, newText) => call('edit_file', { path: join(folder, path), edits: [{ oldText, newText }] }),
    glob: () => call('search_files', { path: folder, pattern: '**/*.ts' }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function openMastra(folder: string): Promise<FilePeer> {
  const workspace = new Workspace({ filesystem: new LocalFilesystem({ basePath: folder }) });
  await workspace.init();
  const tools = await createWorkspaceTools(workspace);
  const { READ_FILE, EDIT_FILE, GREP, LIST_FILES } = WORKSPACE_TOOLS.FILESYSTEM;
  const call = async (name: string, args: JsonObject): Promise<string> =>
    String(await tools[name].execute(args, { workspace }));
  return {
    name: 'Mastra workspace',
    read: (path) => call(READ_FILE, { path }),
    edit: (path, oldText, newText) => call(EDIT_FILE, { path, old_string: oldText, new_string: newText }),
    glob: () => call(LIST_FILES, { path: '.', pattern: '**/*.ts', maxDepth: 10 }),
    grep: (pattern) => call(GREP, { path: '.', pattern }),
    [Symbol.asyncDispose]: () => workspace.destroy(),
  };
}
