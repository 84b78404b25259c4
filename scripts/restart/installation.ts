import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createInstallation } from '../../apps/monolith/test/support/installation.ts';
import type { TestInstallation } from '../../apps/monolith/test/support/installation.ts';

const root = join(import.meta.dirname, '../..');

/** The effect of a tool: one line of a file. */
export interface Effect {
  readonly name: string;
  /** Process that had it. */
  readonly pid: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Modules that run before a server, in the folder of an installation. */
export const preloads = { bundle: 'from-bundle.mjs', sources: 'from-sources.mjs' } as const;

const effectTools = `
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
const tool = (name, risk) => ({
  name, description: 'Has an effect.', risk,
  inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  async execute({ name }) {
    const line = JSON.stringify({ name, pid: process.pid, at: Date.now() });
    appendFileSync(join(import.meta.dirname, '../effects.txt'), line + '\\n');
    return { content: [{ type: 'text', text: 'done' }], isError: false };
  },
});
export default [tool('asked', 'high'), tool('step', 'safe')];
`;

/**
 * Answers each message with the longest processor time that the thread of the server spent between two turns of its event loop
 * since the message before.
 */
const busyProbe = `
let longestMs = 0;
let before = process.threadCpuUsage();

function turn() {
  const used = process.threadCpuUsage(before);
  before = process.threadCpuUsage();
  longestMs = Math.max(longestMs, (used.user + used.system) / 1_000);
}

setInterval(turn, 1).unref();

process.on('message', () => {
  turn();
  process.send?.(longestMs);
  longestMs = 0;
});
// A parent that listens keeps nothing alive here.
process.channel?.unref();
`;

/** Script of the agent, whose call needs an approval. */
const agentScript = "return tools.asked({ name: 'agent' })";

/** Writes an installation whose tools have effects on a file. */
export async function writeInstallation(): Promise<TestInstallation> {
  const load = (path: string): string => `import ${JSON.stringify(pathToFileURL(join(root, path)).href)};\n`;
  return createInstallation(
    { tools: ['tools'], agent: { demoScript: 'agent.js' } },
    {
      'tools/effects.mjs': effectTools,
      'agent.js': agentScript,
      [preloads.bundle]: load('apps/monolith/bundle/use.mjs') + busyProbe,
      [preloads.sources]: busyProbe,
      'effects.txt': '',
    },
  );
}

/** Reads the effects that happened so far. */
export function readEffects(folder: string): readonly Effect[] {
  const lines = readFileSync(join(folder, 'effects.txt'), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Effect);
}
