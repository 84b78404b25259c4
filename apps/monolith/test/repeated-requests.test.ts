import assert from 'node:assert/strict';
import type { RaviConfig } from '@ravi/host';
import type { TestInstallation } from './support/installation.ts';
import { send, start, until, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import { saveSnippet } from './support/snippets.ts';
import { storeCases } from './support/state-stores.ts';
import { installSubAgents, task } from './support/sub-agents.ts';
import type { Call } from './support/sub-agents.ts';

const timeout = 90_000;
const launch = (target: string): Call => ['launch', { target }];
const ask: Call = ['ask_user', { question: 'Which way?' }];

/** Kills its server in the middle of the call, unless `now` is false. */
const crashTool = `
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
export default {
  name: 'crash', description: 'Ends the process.', risk: 'high', inputSchema: { type: 'object' },
  async execute({ now = true }) {
    if (!now) return { content: [{ type: 'text', text: 'not now' }], isError: false };
    await appendFile(join(import.meta.dirname, '../launches.txt'), 'crash\\n');
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => {});
  },
};`;

const mission = {
  description: 'Launches, and then crashes if it should.',
  code: `
    await tools.launch({ target: input.target });
    const crashed = await tools.crash.safe({ now: input.crashes });
    return crashed.error?.code ?? 'done';`,
  inputSchema: { type: 'object', properties: { target: { type: 'string' }, crashes: { type: 'boolean' } } },
  input: { target: 'mars', crashes: false },
};

/** A request that starts or continues something. */
interface Start {
  readonly path: string;
  readonly body: object;
  /** Another body for the same path. */
  readonly other: object;
  /** Run that the request continues; absent if it starts one. */
  readonly runId?: string;
}

/** Operation that takes an `Idempotency-Key`. */
interface Operation {
  readonly name: string;
  /** Prepares a request whose work is to launch to the moon and, with `crashes`, to crash after that. */
  prepare(url: string, crashes: boolean): Promise<Start>;
  /** Returns the result of the work from the body of a response; waits for it if the response did not. */
  resultOf(url: string, body: Body): unknown;
}

const workOf = (crashes: boolean): readonly (readonly Call[])[] => [
  [launch('moon')],
  ...(crashes ? ([[['crash', {}]]] as const) : []),
];

const operations: readonly Operation[] = [
  {
    name: 'POST /v1/responses',
    prepare: async (_url, crashes) => ({
      path: '/v1/responses',
      body: { input: task(...workOf(crashes)) },
      other: { input: task([launch('sun')]) },
    }),
    resultOf: (_url, { output }) => output.at(-1).content[0].text,
  },
  {
    name: 'POST /v1/snippets/{name}/run',
    async prepare(url, crashes) {
      await saveSnippet(url, 'mission', mission);
      return {
        path: '/v1/snippets/mission/run',
        body: { input: { target: 'moon', crashes } },
        other: { input: { target: 'sun', crashes } },
      };
    },
    resultOf: (_url, { value }) => value,
  },
  {
    name: 'POST /v1/runs/{id}/resume',
    async prepare(url, crashes) {
      const runId = await start(url, task([ask], ...workOf(crashes)));
      await untilStatus(url, runId, 'paused');
      return { path: `/v1/runs/${runId}/resume`, body: { answer: 'Left' }, other: { answer: 'Right' }, runId };
    },
    resultOf: async (url, { id }) => (await until(url, id, 'run-end')).text,
  },
];

interface Reply {
  readonly status: number;
  readonly text: string;
}

async function post(url: string, path: string, body: object): Promise<Reply> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'order-17' };
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

async function refusesOther(url: string, { path, other }: Start): Promise<void> {
  const { status, text } = await post(url, path, other);
  assert.deepEqual([status, JSON.parse(text).error.code], [422, 'E_KEY_REUSED']);
}

/** Returns the launches after those of the saved snippet. */
async function launchesOf(installation: TestInstallation): Promise<readonly string[]> {
  return (await installation.launches()).filter((line) => line !== 'launch mars');
}

const install = (plugins: NonNullable<RaviConfig['plugins']>): Promise<TestInstallation> =>
  installSubAgents({ plugins }, { 'tools/crash.mjs': crashTool });

for (const store of storeCases) {
  for (const operation of operations) {
    store.test(
      `a repeated ${operation.name} has one effect and one response, also after kill -9 (${store.name})`,
      { timeout },
      async () => {
        await using installation = await install(store.plugin());
        using first = startBundled(installation.folder);
        const url = await first.url();
        const request = await operation.prepare(url, false);
        const { path, body, runId } = request;
        const [one, two] = await Promise.all([post(url, path, body), post(url, path, body)]);
        assert.equal(one.status, 200, one.text);
        assert.deepEqual([two, await post(url, path, body)], [one, one]);
        await refusesOther(url, request);
        assert.match(String(await operation.resultOf(url, JSON.parse(one.text))), /^(?:Left \| )?launched$|^done$/);
        if (runId !== undefined) {
          // What the key prevents.
          assert.equal((await send(url, path, body)).error?.code, 'E_STATE_CONFLICT');
        }
        first.signal('SIGKILL');
        await first.exit;

        using second = startBundled(installation.folder);
        const next = await second.url();
        assert.deepEqual(await post(next, path, body), one);
        await refusesOther(next, request);
        assert.deepEqual(await launchesOf(installation), ['launch moon']);
      },
    );

    store.test(
      `a ${operation.name} whose server is killed after the effect has no second one when it is repeated (${store.name})`,
      { timeout },
      async () => {
        await using installation = await install(store.plugin());
        using first = startBundled(installation.folder);
        const url = await first.url();
        const request = await operation.prepare(url, true);
        const { path, body, runId } = request;
        const sent = post(url, path, body);
        // The response to an answer does not wait for the run.
        if (runId === undefined) await assert.rejects(sent);
        else assert.equal((await sent).status, 200);
        await first.exit;
        assert.deepEqual(await launchesOf(installation), ['launch moon', 'crash']);

        using second = startBundled(installation.folder);
        const next = await second.url();
        const [one, two] = await Promise.all([post(next, path, body), post(next, path, body)]);
        assert.equal(one.status, 200, one.text);
        assert.deepEqual(two, one);
        await refusesOther(next, request);
        if (runId !== undefined) assert.deepEqual(one, await sent);
        const result = String(await operation.resultOf(next, JSON.parse(one.text)));
        assert.match(result, /^(?:Left \| )?launched \| .*crash was running|^E_CALL_UNKNOWN$/);
        assert.deepEqual(await launchesOf(installation), ['launch moon', 'crash']);
      },
    );
  }
}
