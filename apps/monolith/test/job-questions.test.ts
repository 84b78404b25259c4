import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { answer, approve, pendingOf, send, start, until, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import { storeCases } from './support/state-stores.ts';
import { delegate, installSubAgents, task } from './support/sub-agents.ts';
import type { Call } from './support/sub-agents.ts';

/** Source of a background tool with an effect, which ends once there is a file `go`. */
const mailTool = `
import { access, appendFile } from 'node:fs/promises';
import { join } from 'node:path';
const folder = join(import.meta.dirname, '..');
const mayGo = () => access(join(folder, 'go')).then(() => true, () => false);
export default {
  name: 'mail', description: 'Sends mail.', mode: 'background', risk: 'high', inputSchema: { type: 'object' },
  async execute(_args, { signal }) {
    await appendFile(join(folder, 'launches.txt'), 'mail\\n');
    while (!(await mayGo())) {
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { content: [{ type: 'text', text: 'sent' }], isError: false };
  },
};`;

const ask: Call = ['ask_user', { question: 'Which way?' }];
const timeout = 90_000;

const jobsOf = async (url: string, runId: string): Promise<readonly string[]> =>
  (await send(url, `/v1/jobs?runId=${runId}`)).items.map(({ status }: Body) => status);

const historyOf = async (url: string, runId: string): Promise<string> => {
  const { sessionId } = await send(url, `/v1/runs/${runId}`);
  return JSON.stringify((await send(url, `/v1/sessions/${sessionId}/history`)).items);
};

for (const store of storeCases) {
  store.test(
    `a job with an effect ends before its run pauses for a question, and the model reads its result (${store.name})`,
    { timeout },
    async () => {
      const files = { 'tools/mail.mjs': mailTool };
      await using installation = await installSubAgents({ plugins: store.plugin() }, files);
      using first = startBundled(installation.folder);
      const url = await first.url();
      const runId = await start(url, task([['mail', {}]], [ask]));
      const isAsking = async (): Promise<boolean> => (await historyOf(url, runId)).includes('Which way?');
      while (!(await isAsking()) || (await jobsOf(url, runId))[0] === 'queued') await pause(20);
      assert.deepEqual(
        [(await send(url, `/v1/runs/${runId}`)).status, await jobsOf(url, runId)],
        ['running', ['running']],
      );
      await writeFile(join(installation.folder, 'go'), '');
      const { questions } = await untilStatus(url, runId, 'paused');
      assert.deepEqual(
        questions.map(({ callId, agent }: Body) => [callId, agent]),
        [['call_1_0', undefined]],
      );
      assert.deepEqual(await jobsOf(url, runId), ['completed']);
      first.signal('SIGKILL');
      await first.exit;

      using second = startBundled(installation.folder);
      const next = await second.url();
      await answer(next, runId, 'Left');
      const ended = await until(next, runId, 'run-end');
      assert.equal(ended.status, 'completed', JSON.stringify(ended));
      assert.match(ended.text, /Left$/);
      const history = await historyOf(next, runId);
      assert.equal(history.match(/The job job_[\w-]+ of mail .*? is completed:\\nsent/g)?.length, 1);
      assert.doesNotMatch(history, /was stopped/);
      assert.deepEqual(await installation.launches(), ['mail']);
    },
  );

  for (const order of ['before', 'after'] as const) {
    store.test(
      `a job waits for approval while its run asks, and is decided ${order} the answer (${store.name})`,
      { timeout },
      async () => {
        await using installation = await installSubAgents({ plugins: store.plugin() });
        using first = startBundled(installation.folder);
        const url = await first.url();
        const runId = await start(url, task([delegate('courier', [['detonate', { target: 'mine' }]])], [ask]));
        const [asked] = await pendingOf(url, runId, 1);
        await untilStatus(url, runId, 'paused');
        assert.deepEqual(await jobsOf(url, runId), ['running']);
        first.signal('SIGKILL');
        await first.exit;

        using second = startBundled(installation.folder);
        const next = await second.url();
        assert.equal((await untilStatus(next, runId, 'paused')).questions.length, 1);
        if (order === 'before') {
          await approve(next, asked);
          while ((await jobsOf(next, runId))[0] !== 'completed') await pause(20);
          assert.equal((await untilStatus(next, runId, 'paused')).questions.length, 1);
          await answer(next, runId, 'Left');
        } else {
          await answer(next, runId, 'Left');
          await approve(next, asked);
        }
        const ended = await until(next, runId, 'run-end');
        assert.deepEqual([ended.status, await jobsOf(next, runId)], ['completed', ['completed']]);
        assert.match(await historyOf(next, runId), /The job job_[\w-]+ of courier .*? is completed:\\nlaunched/);
        assert.deepEqual(await installation.launches(), ['detonate mine']);
      },
    );
  }
}
