import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RaviConfig } from '@ravi/host';
import type { TestInstallation } from './installation.ts';
import type { Body } from './run-requests.ts';
import { installSubAgents } from './sub-agents.ts';

/** A tool that leaves its token in a file for the test, which is the system outside, and waits. `race` gets its result before it waits, `leave` does not wait. */
const deployTool = `
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
const leave = (line) => appendFile(join(import.meta.dirname, '../tokens.txt'), line + '\\n');
const deploy = (name, resultOf) => ({
  name, description: 'Deploys elsewhere.', risk: 'high', inputSchema: { type: 'object' },
  outputSchema: { type: 'object', properties: { version: { type: 'string' } }, required: ['version'] },
  async execute({ to = 'here', expiresInMs }, context) {
    const completion = await context.completion(expiresInMs === undefined ? {} : { expiresInMs });
    const { token, url } = completion;
    context.log.info('started with ' + token);
    context.progress({ message: 'started with ' + token });
    await leave(JSON.stringify({ to, token, url }));
    return resultOf(completion);
  },
});
export default [
  deploy('deploy', (completion) => completion.result),
  deploy('race', async ({ url, result }) => {
    const body = JSON.stringify({ result: { version: 'first' } });
    await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return result;
  }),
  deploy('leave', () => ({ content: [], isError: false, structuredContent: { version: 'own' } })),
];`;

/** Files of these tools. */
export const deployments: Readonly<Record<string, string>> = { 'tools/deploy.mjs': deployTool };

/** Writes an installation whose agent deploys and waits for the system that does it. */
export function installDeployments(config: RaviConfig = {}): Promise<TestInstallation> {
  return installSubAgents(config, deployments);
}

/** Token that the tool gave to the system outside. */
export interface Started {
  readonly to: string;
  readonly token: string;
  readonly url: string;
}

/** Waits until `count` calls have given their tokens away, and returns them in their order. */
export async function startedOf({ folder }: TestInstallation, count: number): Promise<readonly Started[]> {
  for (;;) {
    const text = await readFile(join(folder, 'tokens.txt'), 'utf8').catch(() => '');
    const lines = text.split('\n').filter(Boolean);
    if (lines.length >= count) return lines.map((line) => JSON.parse(line) as Started);
    await pause(10);
  }
}

/** Sends a result as the system outside does: with nothing but the token. Returns the status and the body, if there is one. */
export async function deliver(url: string, token: string, body: unknown): Promise<readonly [number, Body]> {
  const response = await fetch(`${url}/v1/completions/${encodeURIComponent(token)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(!text.includes(token), 'a response repeats the token');
  return [response.status, text === '' ? undefined : JSON.parse(text)];
}
