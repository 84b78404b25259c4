import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestInstallation } from './installation.ts';
import { send, start, untilStatus } from './run-requests.ts';
import type { Body } from './run-requests.ts';
import { task } from './sub-agents.ts';
import type { Call } from './sub-agents.ts';

/** Call that works until it is cancelled. */
export const hang: Call = ['crash', {}];

/** Replaces the tool that ends its server. */
const hangTool = `
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
const note = (text) => appendFile(join(import.meta.dirname, '../launches.txt'), text + '\\n');
export default {
  name: 'crash', description: 'Works until it is cancelled.', risk: 'high', inputSchema: { type: 'object' },
  async execute(_args, { signal }) {
    await note('begun');
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await note('aborted');
    signal.throwIfAborted();
  },
};`;

/** Source of an agent whose sub-agents work as jobs. */
const dispatcherTool = `
import { createAgentTool, ReActAgent } from ${JSON.stringify(import.meta.resolve('@ravi/agents'))};
import courier from './courier.mjs';
import { provider as model } from '../model.mjs';
const policy = { maxRiskUnapproved: 'high' };
export default createAgentTool(new ReActAgent({ name: 'dispatcher', model, policy, tools: [courier] }));
`;

/** Files of an installation with sub-agents whose work hangs: also an agent whose sub-agents work as jobs. */
export const hangingFiles: Readonly<Record<string, string>> = {
  'tools/crash.mjs': hangTool,
  'tools/dispatcher.mjs': dispatcherTool,
};

/** Waits until the tools of an installation have written these lines. */
export async function untilNoted(installation: TestInstallation, ...lines: readonly string[]): Promise<void> {
  for (;;) {
    const notes = await installation.launches();
    if (lines.every((line) => notes.includes(line))) return;
    await pause(20);
  }
}

/** A server as a process of its own, with {@link hangingFiles}. */
export interface HangingServer {
  readonly url: string;
  readonly installation: TestInstallation;
  signal(name: NodeJS.Signals): void;
}

/** Kills a server in the middle of five runs, and asserts that each continues on the other one and makes its next call once. */
export async function continueAfterKill(owner: HangingServer, other: HangingServer): Promise<void> {
  const steps = task([hang], [['launch', { target: 'mars' }]]);
  const runIds = await Promise.all(Array.from({ length: 5 }, () => start(owner.url, steps)));
  while ((await owner.installation.launches()).filter((line) => line === 'begun').length < runIds.length) {
    await untilNoted(owner.installation, 'begun');
  }
  owner.signal('SIGKILL');
  for (const runId of runIds) await untilStatus(other.url, runId, 'completed');
  const launches = (await other.installation.launches()).toSorted();
  assert.deepEqual(
    launches,
    runIds.map(() => 'launch mars'),
  );
}

/** Waits until a run has a run below it, and returns that. */
export async function childOf(url: string, runId: string): Promise<Body> {
  for (;;) {
    const { children } = await send(url, `/v1/runs/${runId}`);
    if (children.length > 0) return children[0];
    await pause(20);
  }
}

/** Cancels a run or a job and returns the response. */
export async function cancel(url: string, path: string): Promise<Body> {
  const response = await fetch(`${url}/v1/${path}/cancel`, { method: 'POST' });
  return { status: response.status, body: await response.json() };
}
