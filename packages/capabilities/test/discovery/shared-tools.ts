import { readFileSync } from 'node:fs';
import type { Tool } from '@ravi/kernel';
import { sharedDataFile } from '@ravi/testkit';
import { freeTool } from '../chain/harness.ts';

type ServerTool = Pick<Tool, 'name' | 'description' | 'inputSchema'> & { readonly server: string };

const file = sharedDataFile('toolschemas/mcp-tools.jsonl');

/** Reason why tests over the real tools do not run here; `undefined` when they run. */
export const realToolsMissing: boolean = file === undefined;

/** 3413 tools of 504 servers, with names that are unique in one toolbox: `<server>.<tool>`. */
export function realTools(): readonly Tool[] {
  const lines = readFileSync(file!, 'utf8').trimEnd().split('\n');
  const taken = new Set<string>();
  return lines.map((line) => {
    const { server, name, description, inputSchema } = JSON.parse(line) as ServerTool;
    const unique = freeName(nameOf(server, name), taken);
    return { ...freeTool(unique, () => 'done'), description: description ?? '', inputSchema };
  });
}

function nameOf(server: string, tool: string): string {
  const own = tool.replaceAll(/[^\w.-]/g, '_').slice(0, 62);
  const owner = server.replace(/^@[^_]+_/, '').replace(/@[\d.]+$/, '');
  const prefix = owner.replaceAll(/[^\w.-]/g, '_').slice(0, 61 - own.length);
  return `${prefix}.${own}`.replace(/^[^a-zA-Z_]/, '_$&');
}

function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}_${number}`;
  taken.add(free);
  return free;
}
