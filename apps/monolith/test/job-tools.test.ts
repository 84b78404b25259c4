import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RaviConfig } from '@ravi/host';
import { test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

/** Source of a model that makes the calls of its task one after another; `JOB` in their arguments is the id of the job. */
const model = `
async function* stream({ messages, tools }) {
  const steps = JSON.parse(messages[0].content[0].text);
  const done = messages.filter(({ role }) => role === 'assistant').length;
  const [jobId] = /job_[\\w-]+/.exec(JSON.stringify(messages.slice(1))) ?? [];
  const [name, args] = steps[done] ?? [];
  const text = tools.map((tool) => tool.name).join(' ');
  yield name === undefined
    ? { type: 'block', block: { type: 'text', text } }
    : { type: 'block', block: { type: 'tool_use', id: 'call_' + done, name, arguments: JSON.parse(JSON.stringify(args).replace('JOB', jobId)) } };
  yield { type: 'finish', reason: name === undefined ? 'end' : 'tool-use', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'steps', stream });
export default { name: 'steps', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

/** Source of a tool that ends once there is a file `go`. */
const reportTool = (mode: string): string => `
import { access } from 'node:fs/promises';
import { join } from 'node:path';
const mayGo = () => access(join(import.meta.dirname, '../go')).then(() => true, () => false);
export default {
  name: 'report', description: 'Reports.', mode: '${mode}', risk: 'safe', inputSchema: { type: 'object' },
  async execute(_args, { signal }) {
    while (!(await mayGo())) {
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return { content: [{ type: 'text', text: 'the report' }], isError: false };
  },
};`;

function serverWith(mode: string, agent: RaviConfig['agent'] = {}): Promise<TestServer> {
  const config = { agent, plugins: { modelProvider: [{ use: './model.mjs' }] } };
  return startServer(config, { 'model.mjs': model, 'tools/report.mjs': reportTool(mode) }, { isServer: true });
}

/** Runs the calls, and lets the report end once `isReady`. Returns the run, its job and the texts that the model received. */
async function runCalls(
  server: TestServer,
  calls: readonly (readonly [name: string, args: object])[],
  isReady: (events: readonly string[]) => boolean,
): Promise<{ readonly run: Body; readonly job: Body; readonly texts: string }> {
  const { body: started } = await server.post('/v1/runs', { kind: 'agent', task: JSON.stringify(calls) });
  const seen: string[] = [];
  for await (const { event = '', data } of readEvents(await fetch(`${server.url}/v1/runs/${started.id}/events`))) {
    seen.push(event === 'tool-call' ? JSON.parse(data).data.tool : event);
    if (isReady(seen)) await writeFile(join(server.installation.folder, 'go'), '');
  }
  const { body: run } = await server.get(`/v1/runs/${started.id}`);
  const { body: jobs } = await server.get(`/v1/jobs?runId=${started.id}`);
  const { body: history } = await server.get(`/v1/sessions/${started.sessionId}/history`);
  const [job] = jobs.items;
  return { run, job, texts: JSON.stringify(history.items).replaceAll(job.id, 'JOB') };
}

test('the model of a server waits for a job and receives its result', async () => {
  await using server = await serverWith('background');
  const calls = [
    ['report', {}],
    ['read_job', { id: 'JOB' }],
    ['wait_job', { id: 'JOB' }],
  ] as const;
  const { run, job, texts } = await runCalls(server, calls, (seen) => seen.includes('wait_job'));
  assert.equal(run.status, 'completed');
  assert.deepEqual([job.kind, job.status, job.result.text], ['report', 'completed', 'the report']);
  assert.match(texts, /Running in the background as JOB.*or use wait_job, read_job or stop_job/);
  assert.match(texts, /The job JOB is running\..*The job JOB is completed:\\nthe report/);
  assert.match(run.outcome.result.text, /report.*wait_job read_job stop_job/);
  assert.deepEqual(
    run.trace.map(({ tool, status }: Body) => [tool, status]),
    [
      ['report', 'ok'],
      ['read_job', 'ok'],
      ['wait_job', 'ok'],
    ],
  );
});

test('the model of a server stops a job', async () => {
  await using server = await serverWith('background');
  const calls = [
    ['report', {}],
    ['stop_job', { id: 'JOB' }],
    ['read_job', { id: 'JOB' }],
  ] as const;
  const { run, job, texts } = await runCalls(server, calls, () => false);
  assert.deepEqual([run.status, job.status, job.error.code], ['completed', 'cancelled', 'E_CANCELLED']);
  assert.match(texts, /The job JOB was stopped\./);
  assert.match(texts, /The job JOB is cancelled:\\nThe job was stopped/);
});

test('a call that takes longer than agent.promoteAfterMs becomes a job of the server', async () => {
  await using server = await serverWith('direct', { promoteAfterMs: 20 });
  const calls = [
    ['report', {}],
    ['wait_job', { id: 'JOB' }],
  ] as const;
  const { run, job, texts } = await runCalls(server, calls, (seen) => seen.includes('wait_job'));
  assert.deepEqual([run.status, job.status], ['completed', 'completed']);
  assert.match(texts, /Running in the background as JOB.*The job JOB is completed:\\nthe report/);
});

test('a server without background work does not offer the tools for jobs', async () => {
  await using server = await serverWith('direct');
  const { body } = await server.get('/v1/tools');
  const names = body.items.map(({ name }: Body) => name);
  assert.deepEqual([names.includes('report'), names.includes('wait_job')], [true, false]);
});

test('a tool named like one for jobs is kept, and the report names the one that is missing', async () => {
  const own = `export default { name: 'wait_job', description: 'Waits.', risk: 'safe', inputSchema: { type: 'object' }, execute: async () => 'mine' };`;
  const files = { 'tools/report.mjs': reportTool('background'), 'tools/wait_job.mjs': own };
  await using server = await startServer({}, files, { isServer: true });
  const { failures } = server.monolith.toolReport;
  assert.deepEqual(
    failures.map(({ from }) => from),
    ['wait_job'],
  );
  const { body } = await server.get('/v1/tools');
  assert.equal(body.items.find(({ name }: Body) => name === 'wait_job').description, 'Waits.');
});
