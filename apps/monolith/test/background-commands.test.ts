import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { createInstallation } from './support/installation.ts';
import type { TestInstallation } from './support/installation.ts';
import { send, until } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';

/** Source of a model that runs its task as a command in the background, says that it waits, and repeats what it reads about the job. */
const model = `
async function* stream({ messages }) {
  const texts = messages.slice(1).flatMap(({ role, content }) => (role === 'user' ? content : []));
  const told = texts.filter(({ type }) => type === 'text').map(({ text }) => text);
  if (texts.length === 0) {
    const args = { command: messages[0].content[0].text };
    yield { type: 'block', block: { type: 'tool_use', id: 'call_1', name: 'bash_background', arguments: args } };
  } else {
    yield { type: 'block', block: { type: 'text', text: told.join(' ') || 'I wait for the job' } };
  }
  yield { type: 'finish', reason: texts.length === 0 ? 'tool-use' : 'end', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'reporting', stream });
export default { name: 'reporting', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

function install(): Promise<TestInstallation> {
  const plugins = {
    modelProvider: [{ use: './model.mjs' }],
    toolSource: [{ use: '@ravi/tools-shell', root: 'project' }],
  };
  const files = { 'model.mjs': model, 'project/a.txt': 'a file\n' };
  return createInstallation({ plugins, policy: { maxRiskUnapproved: 'high' } }, files);
}

async function eventually<Value>(read: () => Promise<Value | undefined> | Value | undefined): Promise<Value> {
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    await pause(20);
  }
}

/** Starts a run whose command has begun, and whose model waits for it. */
async function startCommand(url: string, { folder }: TestInstallation, command: string): Promise<Body> {
  const run = await send(url, '/v1/runs', { kind: 'agent', task: `touch began; ${command}` });
  await eventually(() => existsSync(join(folder, 'project/began')) || undefined);
  await eventually(async () => {
    const history = JSON.stringify(await send(url, `/v1/sessions/${run.sessionId}/history`));
    return (
      (history.includes('Running in the background as job_') && history.includes('I wait for the job')) || undefined
    );
  });
  return run;
}

const jobOf = async (url: string, runId: string): Promise<Body> =>
  (await send(url, `/v1/jobs?runId=${runId}`)).items?.[0];

/** Ids of the processes whose command line has a text. */
function processesWith(text: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/u.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });
}

test(
  'a command in the background is a job, and the model receives its output as a message',
  { timeout: 90_000 },
  async () => {
    await using installation = await install();
    using server = startBundled(installation.folder);
    const url = await server.url();
    const command = 'while [ ! -e go ]; do sleep 0.05; done; cat a.txt; echo done >&2; exit 3';
    const { id } = await startCommand(url, installation, command);
    const job = await jobOf(url, id);
    assert.deepEqual([job.status, job.kind, job.callId], ['running', 'bash_background', 'call_1']);
    assert.equal((await send(url, `/v1/runs/${id}`)).status, 'running');

    // A command of the same workspace does not wait for it.
    const made = await send(url, '/v1/tools/bash', { args: { command: 'touch go' } });
    assert.equal(made.status, 'ok', JSON.stringify(made));
    const end = await until(url, id, 'run-end');
    assert.deepEqual(
      [end.status, end.text.replaceAll(job.id, 'JOB')],
      ['completed', 'The job JOB of bash_background (call call_1) is completed:\na file\ndone\nExit code 3'],
    );
    assert.equal((await jobOf(url, id)).status, 'completed');
  },
);

test('a cancelled job ends its command with all processes, and the model reads so', { timeout: 90_000 }, async () => {
  await using installation = await install();
  using server = startBundled(installation.folder);
  const url = await server.url();
  const seconds = `36${process.pid}`;
  const { id } = await startCommand(url, installation, `(setsid sleep ${seconds} &); sleep ${seconds}; touch survived`);
  await eventually(() => (processesWith(`sleep\0${seconds}`).length === 2 ? true : undefined));
  const job = await jobOf(url, id);
  await send(url, `/v1/jobs/${job.id}/cancel`, {});
  const end = await until(url, id, 'run-end');
  assert.equal(end.status, 'completed');
  assert.match(end.text, /^The job job_\S+ of bash_background \(call call_1\) is cancelled:/u);
  await eventually(() => (processesWith(`sleep\0${seconds}`).length === 0 ? true : undefined));
  assert.equal(existsSync(join(installation.folder, 'project/survived')), false);
  assert.equal((await jobOf(url, id)).status, 'cancelled');
});

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  test(
    `a command that ${signal} of its server interrupts is not repeated, and the model reads so`,
    { timeout: 90_000 },
    async () => {
      await using installation = await install();
      using first = startBundled(installation.folder);
      const seconds = `37${process.pid}${signal.length}`;
      const command = `echo begun >> begun.txt; sleep ${seconds}`;
      const { id } = await startCommand(await first.url(), installation, command);
      first.signal(signal);
      await first.exit;
      try {
        using second = startBundled(installation.folder);
        const url = await second.url();
        const end = await until(url, id, 'run-end');
        assert.equal(end.status, 'completed');
        assert.match(
          end.text,
          /^The job job_\S+ of bash_background \(call call_1\) is failed:\nThe process ended while bash_background was running\./u,
        );
        assert.match(end.text, /Its outcome is unknown, and it was not repeated/u);
        const job = await jobOf(url, id);
        assert.deepEqual([job.status, job.error.code], ['failed', 'E_CALL_UNKNOWN']);
        assert.equal(readFileSync(join(installation.folder, 'project/begun.txt'), 'utf8'), 'begun\n');
        // A server that ends in order ends its commands; a killed one cannot.
        if (signal === 'SIGTERM') assert.deepEqual(processesWith(`sleep\0${seconds}`), []);
      } finally {
        for (const left of processesWith(`sleep\0${seconds}`)) process.kill(Number(left), 'SIGKILL');
      }
    },
  );
}
