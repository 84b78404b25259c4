import { KernelError } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import { nearNames } from '@ravi/support';
import type { CommandBody } from '../command.ts';
import { mcpPackage, serverEntry } from '../mcp/server-entry.ts';
import { readSourceList } from '../mcp/source-list.ts';
import type { SourceList } from '../mcp/source-list.ts';
import { visible } from '../render/visible.ts';
import type { Terminal } from '../terminal.ts';

/** Adds an MCP server to the configuration. A configuration in TypeScript stays as it is: the entry is printed. */
export const addServer: CommandBody = async (invocation, terminal) => {
  const { entry, warnings } = serverEntry(invocation, terminal.env);
  const list = await readSourceList(invocation.values['config'], terminal);
  const name = nameOf(entry);
  if (list.entries.some((one) => nameOf(one) === name)) {
    throw new KernelError('E_USAGE', `A tool source is named "${name}" already: choose another name, or remove it`);
  }
  for (const warning of warnings) terminal.warn(visible(warning));
  if (!list.isEditable) {
    terminal.warn(visible(`${list.file} is a program. Add this to its plugins.toolSource:`));
    return terminal.print(JSON.stringify(entry, undefined, invocation.isJson ? undefined : 2));
  }
  await list.add(entry);
  report({ done: `Added ${name} to`, list, entry }, invocation.isJson, terminal);
};

/** Believes what a server says about the risk of its tools, or no longer with `--off`. */
export const trustServer: CommandBody = async (invocation, terminal) => {
  const { list, index, entry } = await find(invocation.values, terminal);
  const isOff = invocation.flags.has('off');
  await list.set(index, 'trust', isOff ? undefined : true);
  const done = isOff ? `No longer trusts ${nameOf(entry)}:` : `Trusts ${nameOf(entry)}:`;
  report({ done, list, entry }, invocation.isJson, terminal);
};

/** Removes a server from the configuration. Its accepted definitions stay, in case that it returns. */
export const removeServer: CommandBody = async (invocation, terminal) => {
  const { list, index, entry } = await find(invocation.values, terminal);
  await list.remove(index);
  report({ done: `Removed ${nameOf(entry)} from`, list, entry }, invocation.isJson, terminal);
};

async function find(
  { name = '', config }: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
): Promise<{ readonly list: SourceList; readonly index: number; readonly entry: JsonObject }> {
  const list = await readSourceList(config, terminal);
  const index = list.entries.findIndex((one) => one['use'] === mcpPackage && one['name'] === name);
  const entry = list.entries[index];
  if (entry !== undefined) return { list, index, entry };
  const names = list.entries.filter((one) => one['use'] === mcpPackage).map(nameOf);
  const near = nearNames(name, names);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `the servers are ${names.join(', ') || 'none'}`;
  throw new KernelError('E_USAGE', `${list.file} has no MCP server "${name}"; ${hint}`);
}

function nameOf(entry: JsonObject): string {
  const { name } = entry;
  return typeof name === 'string' ? name : '';
}

interface Change {
  /** Begin of the sentence that the file ends. */
  readonly done: string;
  readonly list: SourceList;
  readonly entry: JsonObject;
}

function report({ done, list: { file }, entry }: Change, isJson: boolean, { print, warn }: Terminal): void {
  print(isJson ? JSON.stringify({ file, name: nameOf(entry) }) : visible(`${done} ${file}`));
  warn('A running server reads its configuration when it starts: restart the server.');
}
