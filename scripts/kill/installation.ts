import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RaviConfig } from '../../packages/host/src/index.ts';
import { databasePlugins } from '../lib/postgres.ts';
import type { EngineName } from '../lib/postgres.ts';

const packages = join(import.meta.dirname, '../../packages');

/** Tools whose effects may be made again with the same key. */
export const idempotentTools: readonly string[] = ['row'];

/** Addresses and times that an installation is configured with. */
export interface InstallationAddresses {
  readonly worldUrl: string;
  readonly modelUrl: string;
  /** Lease of runs in milliseconds. */
  readonly leaseMs: number;
  /** PostgreSQL as each server reaches it; undefined for servers whose state is in SQLite. */
  readonly databaseUrls: readonly (string | undefined)[];
  readonly engine: EngineName;
}

const skill = `---
name: careful-mail
description: Sends mail with care.
allowed-tools: mail
---
Read each mail twice before you send it.
`;

/** Returns the name of the configuration file of a server. */
export function configurationOf(server: number): string {
  return `server-${server}.json`;
}

/** Writes a configuration for each server, and the tools and skills that they share, into a folder. */
export async function writeInstallation(folder: string, addresses: InstallationAddresses): Promise<void> {
  const configurations = addresses.databaseUrls.map((databaseUrl, server) => [
    configurationOf(server),
    JSON.stringify(configuration(addresses, databaseUrl)),
  ]);
  const files: Readonly<Record<string, string>> = {
    ...Object.fromEntries(configurations),
    'tools/effects.mjs': effectTools(addresses),
    'tools/agents.mjs': agentTools(addresses),
    'tools/ask.mjs': `export { askUserTool as default } from ${sourceOf('agents/src/index.ts')};`,
    'skills/careful-mail/SKILL.md': skill,
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  // As after `npm install @ravi/state-postgres` in the folder.
  await mkdir(join(folder, 'node_modules/@ravi'), { recursive: true });
  await symlink(join(packages, 'state/postgres'), join(folder, 'node_modules/@ravi/state-postgres'));
}

function configuration(
  { modelUrl, leaseMs, engine }: InstallationAddresses,
  databaseUrl: string | undefined,
): RaviConfig {
  return {
    policy: { maxRiskUnapproved: 'high' },
    runs: { leaseMs },
    tools: ['./tools'],
    skills: ['./skills'],
    plugins: {
      modelProvider: [{ use: '@ravi/provider-openai', model: 'scripted', baseUrl: modelUrl, api: 'chat' }],
      ...(databaseUrl === undefined ? {} : databasePlugins(databaseUrl, engine)),
    },
  };
}

function effectTools({ worldUrl }: InstallationAddresses): string {
  return `
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const effect = (kind, more) => ({
  name: kind,
  description: 'Has an effect on the world.',
  risk: 'high',
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'string' }, text: { type: 'string' } },
    required: kind === 'deliver' ? ['id', 'text'] : ['id'],
  },
  async execute({ id, text }, { idempotencyKey: key, callId, signal }) {
    if (more.mode === 'background') await pause(400, undefined, { signal });
    const content = text === undefined ? {} : { digest: createHash('sha256').update(text).digest('hex') };
    const body = JSON.stringify({ kind, id, key, callId, pid: process.pid, ...content });
    const response = await fetch(${JSON.stringify(worldUrl)}, { method: 'POST', body, signal });
    if (!response.ok) throw new Error('The world answered with ' + response.status);
    return { content: [{ type: 'text', text: 'done: ' + id }], isError: false };
  },
  ...more,
});
export const mail = effect('mail', {});
export const wire = effect('wire', { risk: 'critical' });
export const exportRows = {
  name: 'export_rows',
  description: 'Returns a large text.',
  risk: 'safe',
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  execute: async ({ id }) => ({ content: [{ type: 'text', text: id.padEnd(150_000, '.') }], isError: false }),
};
export default [
  mail,
  wire,
  exportRows,
  effect('row', { idempotent: true }),
  effect('deliver', {}),
  effect('report', { mode: 'background' }),
  effect('transfer', { risk: 'critical', mode: 'background' }),
];
`;
}

// The helper answers its caller, the courier works as a job, the scripter runs scripts, and the asker asks the user.
function agentTools({ modelUrl }: InstallationAddresses): string {
  return `
import { askUserTool, createAgentTool, ReActAgent } from ${sourceOf('agents/src/index.ts')};
import { createToolChainTool } from ${sourceOf('capabilities/src/index.ts')};
import { Toolbox, ToolInvoker } from ${sourceOf('invoker/src/index.ts')};
import { createOpenAiProvider } from ${sourceOf('providers/openai/src/index.ts')};
import { createIsolatedVmSandbox } from ${sourceOf('sandboxes/isolated-vm/src/index.ts')};
import { exportRows, mail, wire } from './effects.mjs';

const model = createOpenAiProvider({ model: 'scripted', baseUrl: ${JSON.stringify(modelUrl)}, api: 'chat' });
const policy = { maxRiskUnapproved: 'high' };
const tools = [mail, wire, exportRows];
const registry = new Toolbox(tools);
const invoker = new ToolInvoker({ registry, policy });
registry.add(createToolChainTool({ invoker, sandbox: createIsolatedVmSandbox({}), preflight: false }));
export default [
  createAgentTool(new ReActAgent({ name: 'helper', model, policy, tools })),
  createAgentTool(new ReActAgent({ name: 'courier', model, policy, tools }), { mode: 'background' }),
  createAgentTool(new ReActAgent({ name: 'scripter', model, invoker })),
  createAgentTool(new ReActAgent({ name: 'asker', model, policy, tools: [...tools, askUserTool] })),
];
`;
}

function sourceOf(path: string): string {
  return JSON.stringify(pathToFileURL(join(packages, path)).href);
}
