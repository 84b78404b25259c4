import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startTcpProxy, stoppablePostgresForTests } from '@ravi/state-testing';
import type { PostgresServer, TcpProxy } from '@ravi/state-testing';
import { test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { createInstallation } from './support/installation.ts';
import { startProcess } from './support/server-process.ts';

// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

const steps = 8;
const runs = 4;
const outageMs = 1_500;

// Each response calls the tool once, until it has been called `steps` times.
const model = `
export default {
  name: 'counting-model', port: 'modelProvider', configSchema: { type: 'object' },
  create: () => ({
    id: 'counting',
    async *stream({ messages }) {
      const step = messages.filter(({ role }) => role === 'assistant').length;
      const task = messages[0].content[0].text;
      if (step < ${steps}) {
        const block = { type: 'tool_use', id: 'call_' + step, name: 'effect', arguments: { target: task + ' ' + step } };
        yield { type: 'tool-call-start', id: block.id, name: block.name };
        yield { type: 'block', block };
      } else {
        yield { type: 'text-delta', text: 'Done' };
        yield { type: 'block', block: { type: 'text', text: 'Done' } };
      }
      yield { type: 'finish', reason: step < ${steps} ? 'tool-use' : 'end', usage: { inputTokens: 1, outputTokens: 1 } };
    },
  }),
};`;

const effect = `
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
export default {
  name: 'effect', description: 'Leaves a line in a file.', risk: 'high', inputSchema: { type: 'object' },
  async execute({ target }) {
    await appendFile(join(import.meta.dirname, '../effects.txt'), target + '\\n');
    await setTimeout(150);
    return { content: [{ type: 'text', text: 'done' }], isError: false };
  },
};`;

async function send(url: string, path: string, body?: unknown): Promise<Body> {
  const response = await fetch(`${url}${path}`, {
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return response.json();
}

/** Follows a run to its end, reconnecting as a browser does, and returns each end that a reader was sent. */
async function endsOf(url: string, runId: string): Promise<readonly Body[]> {
  const ends: Body[] = [];
  for (let last: string | undefined; ends.length === 0; await setTimeout(100)) {
    const headers = last === undefined ? {} : { 'last-event-id': last };
    const response = await fetch(`${url}/v1/runs/${runId}/events`, { headers });
    if (!response.ok) continue;
    for await (const { id, event, data } of readEvents(response)) {
      if (event === 'run-end') ends.push(JSON.parse(data).data);
      last = id ?? last;
    }
  }
  return ends;
}

/** Starts runs of an agent, lets `fault` happen while their effects are under way, and checks that nothing was lost. */
async function surviveFault(fault: (proxy: TcpProxy, postgres: PostgresServer) => Promise<void>): Promise<void> {
  const postgres = await stoppablePostgresForTests();
  assert.ok(typeof postgres !== 'string', 'PostgreSQL is missing');
  await using stopping = postgres;
  const direct = new URL(stopping.url);
  await using proxy = await startTcpProxy(Number(direct.port));
  direct.port = String(proxy.port);
  const config = {
    policy: { maxRiskUnapproved: 'high' as const },
    plugins: {
      stateStore: { use: '@ravi/state-postgres', url: direct.href, timeoutMs: 1_000 },
      modelProvider: [{ use: './model.mjs' }],
    },
  };
  await using installation = await createInstallation(config, { 'model.mjs': model, 'tools/effect.mjs': effect });
  using server = startProcess(installation.folder, ['--port', '0']);
  const url = await server.url();
  const effects = async (): Promise<readonly string[]> =>
    (await readFile(join(installation.folder, 'effects.txt'), 'utf8').catch(() => '')).split('\n').filter(Boolean);

  const tasks = Array.from({ length: runs }, (_, index) => `run-${index}`);
  const started = await Promise.all(tasks.map((task) => send(url, '/v1/runs', { kind: 'agent', task })));
  const ends = Promise.all(started.map(({ id }) => endsOf(url, id)));
  while ((await effects()).length < runs) await setTimeout(20);
  await fault(proxy, stopping);

  for (const each of await ends)
    assert.deepEqual(
      each.map(({ status }) => status),
      ['completed'],
    );
  for (const { id } of started) assert.equal((await send(url, `/v1/runs/${id}`)).status, 'completed');
  const expected = tasks.flatMap((task) => Array.from({ length: steps }, (_, step) => `${task} ${step}`));
  assert.deepEqual((await effects()).toSorted(), expected.toSorted());
}

const limits = { timeout: 120_000 };

test('agent runs survive a restart of PostgreSQL: all complete, and no effect happens twice', limits, () =>
  surviveFault(async (_proxy, postgres) => {
    await postgres.stop();
    await setTimeout(outageMs);
    await postgres.start();
  }),
);

test('agent runs survive a cut connection to PostgreSQL', limits, () =>
  surviveFault(async (proxy) => {
    for (let cuts = 0; cuts < 3; cuts++) {
      proxy.cut();
      await setTimeout(outageMs / 3);
      proxy.heal();
      await setTimeout(outageMs / 3);
    }
  }),
);

test('agent runs survive a network that swallows everything for some seconds', limits, () =>
  surviveFault(async (proxy) => {
    proxy.blackHole();
    await setTimeout(3 * outageMs);
    proxy.heal();
  }),
);
