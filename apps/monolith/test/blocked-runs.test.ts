import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { RaviConfig } from '@ravi/host';
import { approve, pendingOf, send, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { shareStore } from './support/shared-store.ts';
import { storeCases } from './support/state-stores.ts';

// A run that no server takes is blocked after a lease and a poll.
const config: RaviConfig = { approvals: { mode: 'pause' }, runs: { leaseMs: 1_000 } };

const probe = (description: string): Readonly<Record<string, string>> => ({
  'tools/probe.mjs': `
export default {
  name: 'probe', description: '${description}', risk: 'high', inputSchema: { type: 'object' },
  execute: async () => ({ content: [{ type: 'text', text: 'probed' }], isError: false }),
};`,
});
const before = probe('Probes it.');
const after = probe('Probes it well.');
const needsProbe = [{ kind: 'tool', name: 'probe', state: 'changed' }];

/** Starts scripts that call `probe` and are stored while they wait for approval. Returns their ids and approvals. */
async function park(url: string, count: number): Promise<readonly { readonly id: string; readonly asked: Body }[]> {
  const starting = Array.from({ length: count }, () =>
    send(url, '/v1/runs', { kind: 'chain', code: 'return tools.probe({})' }),
  );
  const parked = [];
  for (const { id } of await Promise.all(starting)) {
    await untilStatus(url, id, 'paused');
    const [asked] = await pendingOf(url, id, 1);
    parked.push({ id, asked });
  }
  return parked;
}

async function idsWith(url: string, status: string): Promise<readonly string[]> {
  const { items } = await send(url, `/v1/runs?limit=200&status=${status}`);
  return items.map(({ id }: Body) => id).toSorted();
}

for (const store of storeCases) {
  const { name, test } = store;

  test(`a rolling deploy with a reworded tool fails no run: the old server ends its runs, later ones wait for one that can (${name})`, async () => {
    await using shared = await shareStore(store);
    await using old = await shared.start(config, before);
    const [early, late] = [await park(old.url, 10), await park(old.url, 6)];
    await using next = await shared.start(config, after);
    for (const { asked } of early) await approve(next.url, asked);
    for (const { id } of early) await untilStatus(next.url, id, 'completed');
    await old.shutDown();

    for (const { asked } of late) await approve(next.url, asked);
    const blocked = await Promise.all(late.map(({ id }) => untilStatus(next.url, id, 'blocked')));
    for (const { block, error } of blocked) {
      assert.deepEqual(block.needs, needsProbe);
      assert.deepEqual([error.code, error.message], ['E_RUN_CHANGED', block.message]);
    }
    assert.deepEqual(await idsWith(next.url, 'blocked'), late.map(({ id }) => id).toSorted());
    assert.deepEqual(await idsWith(next.url, 'paused'), []);

    await using again = await shared.start(config, before);
    for (const { id } of late) await untilStatus(again.url, id, 'completed');
    assert.deepEqual(await idsWith(next.url, 'failed'), []);
    assert.equal((await idsWith(next.url, 'completed')).length, early.length + late.length);
  });

  test(`a server that lacks a tool does not take the run of one that died, and the run says what is missing (${name})`, async () => {
    await using shared = await shareStore(store);
    // The call hangs until its server ends.
    const hanging = {
      'tools/hang.mjs':
        before['tools/probe.mjs']
          ?.replaceAll("'probe'", "'hang'")
          .replace(
            /execute: .*/,
            'execute: (_args, { signal }) => new Promise((_done, fail) => signal.addEventListener("abort", () => fail(signal.reason))),',
          ) ?? '',
    };
    await using first = await shared.start({ ...config, policy: { maxRiskUnapproved: 'high' } }, hanging);
    const { id } = await send(first.url, '/v1/runs', {
      kind: 'chain',
      code: 'return tools.hang({}).catch((error) => error.code)',
    });
    while ((await send(first.url, `/v1/runs/${id}`)).trace.length === 0) await pause(20);
    await first.shutDown();

    await using second = await shared.start(config);
    const { block, epoch } = await untilStatus(second.url, id, 'blocked');
    assert.deepEqual(block.needs, [{ kind: 'tool', name: 'hang', state: 'missing' }]);
    assert.match(block.message, /this is missing: the tool hang/);

    // Another server has what it needs only after the retry.
    const retried = await send(second.url, `/v1/runs/${id}/retry`, {});
    assert.deepEqual([retried.status, retried.block], ['running', undefined]);
    const again = await untilStatus(second.url, id, 'blocked');
    assert.ok(again.epoch > epoch, `${again.epoch}`);
    await using third = await shared.start({ ...config, policy: { maxRiskUnapproved: 'high' } }, hanging);
    const ended = await untilStatus(third.url, id, 'completed');
    assert.equal(ended.outcome.result.value, 'E_CALL_UNKNOWN');
  });

  test(`only a blocked run is retried, and it can be cancelled (${name})`, async () => {
    await using shared = await shareStore(store);
    await using first = await shared.start(config, before);
    const [{ id, asked }] = (await park(first.url, 1)) as [{ id: string; asked: Body }];
    const refused = await send(first.url, `/v1/runs/${id}/retry`, {});
    assert.deepEqual([refused.error.code], ['E_STATE_CONFLICT']);
    assert.match(refused.error.message, /is paused, not blocked/);
    assert.equal((await send(first.url, '/v1/runs/none/retry', {})).error.code, 'E_RUN_NOT_FOUND');
    await first.shutDown();

    await using second = await shared.start(config, after);
    await approve(second.url, asked);
    await untilStatus(second.url, id, 'blocked');
    assert.equal((await send(second.url, `/v1/runs/${id}/cancel`, {})).status, 'cancelled');
    const { block, status } = await send(second.url, `/v1/runs/${id}`);
    assert.deepEqual([status, block], ['cancelled', undefined]);
    assert.match((await send(second.url, `/v1/runs/${id}/retry`, {})).error.message, /is cancelled, not blocked/);
  });
}

const model = `
async function* stream({ messages }) {
  const last = messages.at(-1).content[0];
  const block = last.type === 'tool_result'
    ? { type: 'text', text: last.content[0].text }
    : { type: 'tool_use', id: 'call_1', name: 'probe', arguments: {} };
  yield { type: 'block', block };
  yield { type: 'finish', reason: block.type === 'text' ? 'end' : 'tool-use', usage: { inputTokens: 1, outputTokens: 1 } };
}
const create = () => ({ id: 'calling', stream });
export default { name: 'calling', port: 'modelProvider', configSchema: { type: 'object' }, create };
`;

for (const store of storeCases) {
  store.test(`a run of an agent that a server does not have waits for one that has it (${store.name})`, async () => {
    await using shared = await shareStore(store);
    const files = { ...before, 'model.mjs': model };
    const plain: RaviConfig = { ...config, plugins: { modelProvider: [{ use: './model.mjs' }] } };
    const withAgent: RaviConfig = {
      ...plain,
      agents: { prober: { description: 'Probes.', tools: { allow: ['probe'] } } },
    };
    await using first = await shared.start(withAgent, files);
    const { id } = await send(first.url, '/v1/runs', { kind: 'agent', agent: 'prober', task: 'go' });
    await untilStatus(first.url, id, 'paused');
    const [asked] = await pendingOf(first.url, id, 1);
    await first.shutDown();

    await using second = await shared.start(plain, files);
    await approve(second.url, asked);
    const { block, sessionId } = await untilStatus(second.url, id, 'blocked');
    assert.deepEqual(block.needs, [{ kind: 'agent', name: 'prober', state: 'missing' }]);
    const busy = await send(second.url, '/v1/runs', { kind: 'agent', task: 'go', sessionId });
    assert.deepEqual([busy.error.code, busy.error.runId ?? id], ['E_SESSION_BUSY', id]);

    await using third = await shared.start(withAgent, files);
    const ended = await untilStatus(third.url, id, 'completed');
    assert.deepEqual(
      ended.trace.map((call: Body) => [call.tool, call.status]),
      [['probe', 'ok']],
    );
  });
}
