import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RaviConfig } from '@ravi/host';
import { createInstallation } from './support/installation.ts';
import type { TestInstallation } from './support/installation.ts';
import { send, until } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import { storeCases } from './support/state-stores.ts';
import type { StoreCase } from './support/state-stores.ts';

/**
 * Source of a model that calls the tool that its task names, says that it waits, and repeats what it reads about the job. It
 * does not answer after the call while there is a file `hold`.
 */
const model = `
import { access } from 'node:fs/promises';
import { join } from 'node:path';
const isHeld = () => access(join(import.meta.dirname, 'hold')).then(() => true, () => false);
async function* stream({ messages }) {
  const texts = messages.slice(1).flatMap(({ role, content }) => (role === 'user' ? content : []));
  const told = texts.filter(({ type }) => type === 'text').map(({ text }) => text);
  if (texts.length === 0) {
    const name = messages[0].content[0].text;
    yield { type: 'block', block: { type: 'tool_use', id: 'call_' + name, name, arguments: {} } };
  } else {
    while (await isHeld()) await new Promise((resolve) => setTimeout(resolve, 20));
    yield { type: 'block', block: { type: 'text', text: told.join(' ') || 'I wait for the job' } };
  }
  yield { type: 'finish', reason: texts.length === 0 ? 'tool-use' : 'end', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'reporting', stream });
export default { name: 'reporting', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

/** Source of background tools. Each leaves a line in the file of the launches when it begins, and ends once there is a file `go`. */
const tools = `
import { access, appendFile } from 'node:fs/promises';
import { join } from 'node:path';
const folder = join(import.meta.dirname, '..');
const mayGo = () => access(join(folder, 'go')).then(() => true, () => false);
const report = (name, more) => ({
  name, description: 'Reports.', mode: 'background', inputSchema: { type: 'object' }, ...more,
  async execute(_args, { signal }) {
    await appendFile(join(folder, 'launches.txt'), name + '\\n');
    while (!(await mayGo())) {
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { content: [{ type: 'text', text: 'the report' }], isError: false };
  },
});
export default [
  report('read', { risk: 'safe' }),
  report('sync', { risk: 'high', idempotent: true }),
  report('mail', { risk: 'high' }),
  report('wire', { risk: 'critical' }),
];`;

const config = {
  plugins: { modelProvider: [{ use: './model.mjs' }] },
  policy: { maxRiskUnapproved: 'high' as const },
};
const files = { 'model.mjs': model, 'tools/reports.mjs': tools };

function install(store: StoreCase, changes: RaviConfig = {}): Promise<TestInstallation> {
  return createInstallation({ ...config, ...changes, plugins: { ...config.plugins, ...store.plugin() } }, files);
}

async function eventually<Value>(read: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    await pause(20);
  }
}

const jobOf = async (url: string, runId: string): Promise<Body> =>
  (await send(url, `/v1/jobs?runId=${runId}`)).items?.[0];

/** Starts a run and returns when its model waits for the job, whose tool has begun. */
async function startWithJob(url: string, task: string, installation: TestInstallation): Promise<Body> {
  const run = await send(url, '/v1/runs', { kind: 'agent', task });
  await eventually(async () => ((await installation.launches()).length > 0 ? true : undefined));
  const { items } = await eventually(async () => {
    const history = await send(url, `/v1/sessions/${run.sessionId}/history`);
    return JSON.stringify(history).includes('I wait for the job') ? history : undefined;
  });
  assert.match(JSON.stringify(items), /Running in the background as job_/);
  return run;
}

const finish = ({ folder }: TestInstallation): Promise<void> => writeFile(join(folder, 'go'), '');

/** Starts a run whose job waits for approval, and returns it once it is paused. */
async function pausedWithJob(url: string): Promise<Body> {
  const { id } = await send(url, '/v1/runs', { kind: 'agent', task: 'wire' });
  return eventually(async () => {
    const run = await send(url, `/v1/runs/${id}`);
    return run.status === 'paused' ? run : undefined;
  });
}

for (const store of storeCases) {
  for (const signal of store.name === 'SQLite' ? (['SIGKILL', 'SIGTERM'] as const) : (['SIGKILL'] as const)) {
    for (const tool of ['read', 'sync'] as const) {
      const kind = tool === 'read' ? 'a safe tool' : 'an idempotent tool';
      store.test(
        `a job of ${kind} that ${signal} ends runs again, and the model receives its result (${store.name})`,
        { timeout: 90_000 },
        async () => {
          await using installation = await install(store);
          using first = startBundled(installation.folder);
          const { id } = await startWithJob(await first.url(), tool, installation);
          first.signal(signal);
          await first.exit;

          using second = startBundled(installation.folder);
          const url = await second.url();
          await eventually(async () => ((await installation.launches()).length > 1 ? true : undefined));
          const job = await jobOf(url, id);
          assert.deepEqual([job.status, job.callId, job.kind], ['running', `call_${tool}`, tool]);
          await finish(installation);
          const end = await until(url, id, 'run-end');
          assert.deepEqual(
            [end.status, end.text.replaceAll(job.id, 'JOB')],
            ['completed', `The job JOB of ${tool} (call call_${tool}) is completed:\nthe report`],
          );
          assert.equal((await jobOf(url, id)).status, 'completed');
          assert.deepEqual(await installation.launches(), [tool, tool]);
          const { trace } = await send(url, `/v1/runs/${id}`);
          assert.deepEqual(
            trace.map(({ callId, status }: Body) => [callId, status]),
            [[`call_${tool}`, 'ok']],
          );
        },
      );
    }

    store.test(
      `a job with an effect that ${signal} ends is not repeated, and the model reads so (${store.name})`,
      { timeout: 90_000 },
      async () => {
        await using installation = await install(store);
        using first = startBundled(installation.folder);
        const { id } = await startWithJob(await first.url(), 'mail', installation);
        first.signal(signal);
        await first.exit;

        using second = startBundled(installation.folder);
        const url = await second.url();
        const end = await until(url, id, 'run-end');
        assert.equal(end.status, 'completed');
        assert.match(
          end.text,
          /^The job job_\S+ of mail \(call call_mail\) is failed:\nThe process ended while mail was running\./,
        );
        assert.match(end.text, /Its outcome is unknown, and it was not repeated/);
        const job = await jobOf(url, id);
        assert.deepEqual([job.status, job.error.code], ['failed', 'E_CALL_UNKNOWN']);
        assert.deepEqual(await installation.launches(), ['mail']);
        const { trace } = await send(url, `/v1/runs/${id}`);
        assert.deepEqual(
          trace.map(({ callId }: Body) => callId),
          ['call_mail'],
        );
        assert.notEqual(trace[0].status, 'ok');
      },
    );

    for (const mode of ['wait', 'pause'] as const) {
      store.test(
        `the question of a job survives ${signal} (approvals: ${mode}) (${store.name})`,
        { timeout: 90_000 },
        async () => {
          await using installation = await install(store, { approvals: { mode } });
          await finish(installation);
          using first = startBundled(installation.folder);
          const url = await first.url();
          const { id } = await send(url, '/v1/runs', { kind: 'agent', task: 'wire' });
          const status = mode === 'pause' ? 'paused' : 'running';
          const approval = await eventually(async () => {
            const run = await send(url, `/v1/runs/${id}`);
            return run.status === status ? run.pendingApprovals[0] : undefined;
          });
          first.signal(signal);
          await first.exit;

          using second = startBundled(installation.folder);
          const next = await second.url();
          while ((await jobOf(next, id)).status === 'queued') await pause(20);
          assert.equal((await jobOf(next, id)).status, 'running');
          const decided = await send(next, `/v1/approvals/${approval.id}/decision`, { decision: 'approved' });
          assert.equal(decided.error, undefined, JSON.stringify(decided));
          const end = await until(next, id, 'run-end');
          assert.equal(end.status, 'completed');
          assert.match(end.text, /is completed:\nthe report$/);
          assert.deepEqual(await installation.launches(), ['wire']);
          assert.equal((await jobOf(next, id)).status, 'completed');
        },
      );
    }

    store.test(
      `a job that had finished before ${signal} delivers its result, and does not run again (${store.name})`,
      { timeout: 90_000 },
      async () => {
        await using installation = await install(store);
        const hold = join(installation.folder, 'hold');
        await writeFile(hold, '');
        using first = startBundled(installation.folder);
        const url = await first.url();
        const { id, sessionId } = await send(url, '/v1/runs', { kind: 'agent', task: 'mail' });
        const told = async (): Promise<string> => JSON.stringify(await send(url, `/v1/sessions/${sessionId}/history`));
        await eventually(async () => ((await told()).includes('Running in the background') ? true : undefined));
        await finish(installation);
        await eventually(async () => ((await jobOf(url, id))?.status === 'completed' ? true : undefined));
        assert.doesNotMatch(await told(), /the report/);
        first.signal(signal);
        await first.exit;
        await rm(hold);

        using second = startBundled(installation.folder);
        const next = await second.url();
        const end = await until(next, id, 'run-end');
        assert.equal(end.status, 'completed');
        assert.match(end.text, /is completed:\nthe report$/);
        assert.deepEqual(await installation.launches(), ['mail']);
        const { trace } = await send(next, `/v1/runs/${id}`);
        assert.deepEqual(
          trace.map(({ callId, status }: Body) => [callId, status]),
          [['call_mail', 'ok']],
        );
      },
    );
  }

  store.test(
    `a job of a paused run is cancelled: its question is withdrawn, and the model reads why (${store.name})`,
    { timeout: 90_000 },
    async () => {
      await using installation = await install(store);
      using server = startBundled(installation.folder);
      const url = await server.url();
      const { id, pendingApprovals } = await pausedWithJob(url);
      const job = await jobOf(url, id);
      await send(url, `/v1/jobs/${job.id}/cancel`, {});
      const end = await until(url, id, 'run-end');
      assert.equal(end.status, 'completed');
      assert.match(end.text, /is cancelled:\nThe job was cancelled$/);
      const late = await send(url, `/v1/approvals/${pendingApprovals[0].id}/decision`, { decision: 'approved' });
      assert.equal(late.error.code, 'E_APPROVAL_WITHDRAWN');
      assert.deepEqual(await installation.launches(), []);
    },
  );

  store.test(`a job of a paused run ends with its run (${store.name})`, { timeout: 90_000 }, async () => {
    await using installation = await install(store);
    using server = startBundled(installation.folder);
    const url = await server.url();
    const { id } = await pausedWithJob(url);
    assert.equal((await send(url, `/v1/runs/${id}/cancel`, {})).status, 'cancelled');
    const job = await jobOf(url, id);
    assert.deepEqual([job.status, job.error.code], ['cancelled', 'E_CANCELLED']);
    assert.deepEqual(await installation.launches(), []);
  });
}
