import assert from 'node:assert/strict';
import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { scriptCommand, serveHttp } from '@ravi/mcp-testing';
import { test } from 'vitest';
import { startChatModel } from './support/chat-model.ts';
import type { ChatModel, ModelCall } from './support/chat-model.ts';
import { createInstallation } from './support/installation.ts';
import type { TestInstallation } from './support/installation.ts';
import { noteScript } from './support/mcp/effect-scripts.ts';
import { approve, pendingOf, send } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import type { ServerProcess } from './support/server-process.ts';
import { storeCases } from './support/state-stores.ts';

type Signal = 'SIGKILL' | 'SIGTERM';

const kinds = ['agent', 'script', 'script of an agent'] as const;
const servers = ['stdio', 'http'] as const;
const toolOf = (server: string): string => `${server}__note`;
const scriptOf = (server: string, text: string): string =>
  `try { return await tools.${toolOf(server)}({ text: ${JSON.stringify(text)} }) } catch (error) { return error.code }`;

function callsOf(task: string): readonly ModelCall[] {
  const { kind, server, text } = JSON.parse(task) as { kind: string; server: string; text: string };
  return kind === 'agent'
    ? [{ name: toolOf(server), args: { text } }]
    : [{ name: 'tool_chain', args: { code: scriptOf(server, text) } }];
}

/** An installation with a tool of an MCP server over each transport, whose calls need approval, and what reached the servers. */
interface World extends AsyncDisposable {
  readonly installation: TestInstallation;
  readonly gate: string;
  /** Texts of the calls that reached the servers. */
  effects(): Promise<readonly string[]>;
}

async function openWorld(plugins: object, model: ChatModel): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const overHttp: string[] = [];
  const http = stack.use(await serveHttp(noteScript({ onNote: (text) => void overHttp.push(text) })));
  const installation = stack.use(await createInstallation());
  const [log, gate] = [join(installation.folder, 'notes.txt'), join(installation.folder, 'gate')];
  const command = scriptCommand('notes', new URL('support/mcp/effect-scripts.ts', import.meta.url));
  const toolSource = [
    { use: '@ravi/mcp', name: 'stdio', ...command, env: { RAVI_NOTES: log, RAVI_GATE: gate } },
    { use: '@ravi/mcp', name: 'http', url: http.url, allowPrivateAddresses: true },
  ];
  const modelProvider = [{ use: '@ravi/provider-openai', model: 'scripted', baseUrl: model.url, api: 'chat' }];
  await writeFile(
    installation.configPath,
    JSON.stringify({ tools: ['./tools'], plugins: { ...plugins, modelProvider, toolSource } }),
  );
  const opened = stack.move();
  return {
    installation,
    gate,
    async effects() {
      const lines = (await readFile(log, 'utf8').catch(() => '')).split('\n').filter(Boolean);
      return [...lines, ...overHttp];
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** A run that waits for the approval of its call. */
interface WaitingRun {
  readonly id: string;
  readonly text: string;
  readonly approval: Body;
}

/** Starts a run of each kind with each server and waits until their calls need a decision. */
async function startRuns(
  url: string,
  round: string,
  chosen: readonly (typeof servers)[number][] = servers,
): Promise<readonly WaitingRun[]> {
  const wanted = kinds.flatMap((kind) =>
    chosen.map((server) => ({ kind, server, text: `${round} ${kind} ${server}` })),
  );
  return Promise.all(
    wanted.map(async ({ kind, server, text }) => {
      const work =
        kind === 'script'
          ? { kind: 'chain', code: scriptOf(server, text) }
          : { kind: 'agent', task: JSON.stringify({ kind, server, text }) };
      const { id } = await send(url, '/v1/runs', work);
      const [approval] = await pendingOf(url, id, 1);
      return { id, text, approval };
    }),
  );
}

async function end(server: ServerProcess, signal: Signal): Promise<void> {
  server.signal(signal);
  await server.exit;
}

/** Waits until the run has ended, and returns what it and the runs below it know of its call. */
async function endOf(url: string, id: string): Promise<string> {
  for (;;) {
    const run = await send(url, `/v1/runs/${id}`);
    if (['completed', 'failed', 'cancelled'].includes(run.status)) {
      assert.equal(run.status, 'completed', JSON.stringify(run));
      return JSON.stringify(run).includes('E_CALL_UNKNOWN') ? 'unknown' : 'done';
    }
    await pause(20);
  }
}

/** Returns what is wrong with the ends of runs. `before` are the effects when the server ended. */
async function problemsOf(
  url: string,
  world: World,
  runs: readonly WaitingRun[],
  mayBeRecorded: boolean,
): Promise<readonly string[]> {
  const ends = await Promise.all(runs.map(async ({ id, text }) => ({ text, end: await endOf(url, id) })));
  const effects = await world.effects();
  return ends.flatMap(({ text, end: ended }) => {
    const count = effects.filter((each) => each === text).length;
    const isRight = count === 1 || (count === 0 && ended === 'unknown' && mayBeRecorded);
    return isRight ? [] : [`${text}: ${ended} with ${count} effects`];
  });
}

const limits = { timeout: 150_000 };
// Acknowledged decisions after which the server ends.
const moments = { SQLite: [1, 3, 6], PostgreSQL: [6] } as const;

for (const store of storeCases) {
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    store.test(
      `${store.name}: calls that are approved before or after ${signal} have their effect once`,
      limits,
      async () => {
        await using model = await startChatModel(callsOf);
        await using world = await openWorld(store.plugin(), model);
        const { folder } = world.installation;
        let server = startBundled(folder);
        try {
          let url = await server.url();
          for (const count of moments[store.name as 'SQLite']) {
            const runs = await startRuns(url, `after ${count}`);
            for (const { approval } of runs.slice(0, count)) await approve(url, approval);
            await end(server, signal);
            server = startBundled(folder);
            url = await server.url();
            for (const { approval } of runs.slice(count)) await approve(url, approval);
            // A process that is killed cannot say that it has recorded a call and not yet sent it.
            assert.deepEqual(await problemsOf(url, world, runs, signal === 'SIGKILL'), []);
          }
        } finally {
          server[Symbol.dispose]();
        }
      },
    );
  }
}

async function untilConsumed(url: string, { id }: Body): Promise<void> {
  for (let tries = 0; ; tries++) {
    const { approval } = await send(url, `/v1/approvals/${id}`);
    if (approval.status === 'consumed') return;
    if (tries > 500) assert.fail(JSON.stringify([approval, await send(url, `/v1/runs/${approval.runId}`)]));
    await pause(20);
  }
}

async function untilThereIs(file: string): Promise<void> {
  const isThere = (): Promise<boolean> =>
    access(file).then(
      () => true,
      () => false,
    );
  while (!(await isThere())) await pause(20);
}

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  test(
    `approved calls that wait for the connection at ${signal} have not begun, and are made after it`,
    limits,
    async () => {
      await using model = await startChatModel(callsOf);
      await using world = await openWorld({}, model);
      const { folder } = world.installation;
      using first = startBundled(folder);
      const before = await first.url();
      const runs = await startRuns(before, 'waits', ['stdio']);
      // The server of the tools ends and starts again, and all calls wait for it.
      await writeFile(world.gate, '');
      await untilThereIs(`${world.gate}.held`);
      for (const { approval } of runs) await approve(before, approval);
      for (const { approval } of runs) await untilConsumed(before, approval);
      await end(first, signal);
      assert.deepEqual(await world.effects(), []);
      await rm(world.gate);
      using second = startBundled(folder);
      assert.deepEqual(await problemsOf(await second.url(), world, runs, false), []);
    },
  );
}
