import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

/** Source of a model that calls a tool itself, and again in a script of the same step. */
const model = `
const code = "return tools.launch({ target: 'sun' })";
async function* stream({ messages }) {
  const results = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
  if (results.length === 0) {
    yield { type: 'block', block: { type: 'tool_use', id: 'own', name: 'launch', arguments: { target: 'moon' } } };
    yield { type: 'block', block: { type: 'tool_use', id: 'script', name: 'tool_chain', arguments: { code } } };
  } else yield { type: 'block', block: { type: 'text', text: results.map(({ content }) => content[0]?.text).join(' | ') } };
  yield { type: 'finish', reason: results.length === 0 ? 'tool-use' : 'end', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'calling', stream });
export default { name: 'calling', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

const config = { plugins: { modelProvider: [{ use: './model.mjs' }] } };

async function eventually<Value>(read: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    await pause(20);
  }
}

const get = async ({ url }: TestServer, path: string): Promise<Body> => (await fetch(`${url}${path}`)).json();

for (const approvalMode of ['wait', 'pause'] as const) {
  test(`an approval for the run of a script's call is recorded for the agent's own call (${approvalMode})`, async () => {
    await using server = await startServer(config, { 'model.mjs': model }, { isServer: true });
    const { body: run } = await server.post('/v1/runs', { kind: 'agent', task: 'go', approvalMode });
    const [own, ofScript] = await eventually(async () => {
      const { items } = await get(server, `/v1/approvals?runId=${run.id}&status=pending`);
      const { status } = await get(server, `/v1/runs/${run.id}`);
      if (items.length < 2 || status !== (approvalMode === 'pause' ? 'paused' : 'running')) return undefined;
      return items.toSorted((left: Body) => (left.callId === 'own' ? -1 : 1));
    });
    assert.deepEqual([own.runId, own.partOfRunId, ofScript.partOfRunId], [run.id, undefined, run.id]);
    assert.notEqual(ofScript.runId, run.id);

    const decision = { decision: 'approved', scope: 'run', reason: 'both' };
    assert.equal((await server.post(`/v1/approvals/${ofScript.id}/decision`, decision)).status, 200);
    const denied = await server.post(`/v1/approvals/${own.id}/decision`, { decision: 'denied' });
    assert.deepEqual([denied.status, denied.body.error?.code], [409, 'E_APPROVAL_DECIDED']);
    await eventually(async () => {
      const body = await get(server, `/v1/runs/${run.id}`);
      return body.status === 'completed' ? true : undefined;
    });
    assert.deepEqual((await server.installation.launches()).toSorted(), ['launch moon', 'launch sun']);
    for (const { id, callId } of [own, ofScript]) {
      const { approval } = await get(server, `/v1/approvals/${id}`);
      assert.deepEqual([callId, approval.status, approval.answer?.reason], [callId, 'consumed', 'both']);
    }
  });
}
