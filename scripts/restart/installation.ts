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

/** Script of the agent, whose call needs an approval. */
const agentScript = "return tools.asked({ name: 'agent' })";

/** Writes an installation whose tools have effects on a file. */
export async function writeInstallation(): Promise<TestInstallation> {
  const load = (...paths: readonly string[]): string =>
    paths.map((path) => `import ${JSON.stringify(pathToFileURL(join(root, path)).href)};\n`).join('');
  const probe = 'scripts/restart/busy-probe.ts';
  return createInstallation(
    { tools: ['tools'], agent: { demoScript: 'agent.js' } },
    {
      'tools/effects.mjs': effectTools,
      'agent.js': agentScript,
      [preloads.bundle]: load('apps/monolith/bundle/use.mjs', probe),
      [preloads.sources]: load(probe),
      'effects.txt': '',
    },
  );
}

/** Reads the effects that happened so far. */
export function readEffects(folder: string): readonly Effect[] {
  const lines = readFileSync(join(folder, 'effects.txt'), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Effect);
}
