import assert from 'node:assert/strict';
import type { InvocationResult, JournalEntry, NewRunEvent, RunEventId, RunEventStore, RunStatus } from '@ravi/kernel';
import { deadAfterMs, midnight, newRun, rejectsWith, whole } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const line = (n: number, text = `line ${n} 漢字 \u0000`): NewRunEvent => ({
  n,
  at: midnight + n,
  type: 'console',
  data: { text },
});
const scope = { runId: 'run-1', sessionId: 'session-1' } as const;

/** Cases about the events of runs. */
export function runEventCases({ needing, options: { damage }, skip }: StateStoreSuite): void {
  const scenario = needing('events');
  scenario('events are read as they were written, in order and in pages', async ({ runs, events }) => {
    await runs.create(newRun('run-1'), { owner: 'one' });
    await runs.create(newRun('run-2'), { owner: 'one' });
    const writer = { owner: 'one', epoch: 1 };
    await Promise.all([
      events.append('run-1', writer, [line(1), line(2)]),
      events.append('run-2', writer, [line(1, 'of another run')]),
      events.append('run-1', writer, [line(3)]),
    ]);
    const stored = [1, 2, 3].map((n) => ({ epoch: 1, ...line(n) }));
    assert.deepEqual(whole(await events.list('run-1')), stored);
    assert.deepEqual(whole(await events.list('run-1', { after: { epoch: 1, n: 1 } })), stored.slice(1));
    assert.deepEqual(whole(await events.list('run-1', { after: { epoch: 1, n: 3 } })), []);
    assert.deepEqual(whole(await events.list('run-3')), []);
    assert.deepEqual(await allEvents(events, 'run-1', 2), ['1.1', '1.2', '1.3']);
    await rejectsWith('E_STATE_INVALID', events.list('run-1', { limit: 0 }));
    await rejectsWith('E_STATE_INVALID', events.append('run-1', writer, [line(0)]));
  });

  scenario('events that are added again are stored once', async ({ runs, events }) => {
    await runs.create(newRun('run-1'), { owner: 'one' });
    const writer = { owner: 'one', epoch: 1 };
    await events.append('run-1', writer, [line(1), line(2)]);
    await events.append('run-1', writer, [line(2), line(3)]);
    await events.append('run-1', writer, []);
    assert.deepEqual(await allEvents(events, 'run-1', 100), ['1.1', '1.2', '1.3']);
  });

  scenario('only the owner of the current epoch adds events', async ({ runs, events }) => {
    await rejectsWith('E_STATE_CONFLICT', events.append('run-1', { owner: 'one', epoch: 1 }, [line(1)]));
    await runs.create(newRun('run-1'), { owner: 'one' });
    await events.append('run-1', { owner: 'one', epoch: 1 }, [line(1)]);
    await rejectsWith('E_STATE_CONFLICT', events.append('run-1', { owner: 'two', epoch: 1 }, [line(2)]));
    await rejectsWith('E_STATE_CONFLICT', events.append('run-1', { owner: 'one', epoch: 2 }, [line(2)]));
    await runs.release('run-1', 'one');
    await rejectsWith('E_STATE_CONFLICT', events.append('run-1', { owner: 'one', epoch: 1 }, [line(2)]));
    const epoch = (await runs.claim('run-1', { owner: 'two' }))?.epoch ?? 0;
    assert.equal(epoch, 2);
    // One stale writer does not prevent the events of others.
    const [stale, current] = await Promise.allSettled([
      events.append('run-1', { owner: 'one', epoch: 1 }, [line(2)]),
      events.append('run-1', { owner: 'two', epoch }, [line(1)]),
    ]);
    assert.deepEqual([stale.status, current.status], ['rejected', 'fulfilled']);
    assert.deepEqual(await allEvents(events, 'run-1', 100), ['1.1', '2.1']);
  });

  scenario('the last event is written with the status, as the next one of its epoch', async ({ runs, events }) => {
    await runs.create(newRun('run-1'), { owner: 'one' });
    await events.append('run-1', { owner: 'one', epoch: 1 }, [line(1), line(2)]);
    const paused = { type: 'run-paused', ...scope, questions: [] } as const;
    const change = { from: ['running'], to: 'paused', now: midnight + 7, event: paused } as const;
    assert.equal(await runs.transition('run-1', { ...change, owner: 'two' }), false);
    assert.deepEqual(await allEvents(events, 'run-1', 100), ['1.1', '1.2']);
    assert.equal(await runs.transition('run-1', { ...change, owner: 'one' }), true);
    const [last] = whole(await events.list('run-1', { after: { epoch: 1, n: 2 } }));
    assert.deepEqual(last, { epoch: 1, n: 3, at: midnight + 7, type: 'run-paused', data: { questions: [] } });
    await rejectsWith('E_STATE_CONFLICT', events.append('run-1', { owner: 'one', epoch: 1 }, [line(4)]));

    assert.equal((await runs.claim('run-1', { owner: 'one' }))?.epoch, 2);
    await runs.transition('run-1', { from: ['paused'], to: 'running', now: midnight, owner: 'one' });
    const end = { type: 'run-end', ...scope, status: 'cancelled' } as const;
    const ends = (['cancelled', 'failed', 'completed'] as readonly RunStatus[]).map((to) =>
      runs.transition('run-1', { from: ['running'], to, now: midnight, event: end }),
    );
    assert.equal((await Promise.all(ends)).filter(Boolean).length, 1);
    assert.deepEqual(await allEvents(events, 'run-1', 100), ['1.1', '1.2', '1.3', '2.1']);
  });

  const withProcesses = needing('events', 'processes');
  withProcesses('the start of an attempt is written with its claim, once', async ({ runs, events, processes }) => {
    for (const id of ['one', 'two', 'three']) await processes.register({ id, deadAfterMs });
    await runs.create(newRun('run-1'), { owner: 'one' });
    await events.append('run-1', { owner: 'one', epoch: 1 }, [line(1)]);
    const event = { type: 'run-start', ...scope, kind: 'agent', isResumed: true } as const;
    const claim = (owner: string) => runs.claim('run-1', { owner, start: { event, now: midnight + 5 } });
    assert.equal(await claim('two'), undefined);
    assert.equal((await claim('one'))?.epoch, 1);
    assert.deepEqual(await allEvents(events, 'run-1', 100), ['1.1']);
    await processes.remove('one');
    assert.deepEqual((await Promise.all([claim('two'), claim('three')])).filter(Boolean).length, 1);
    const [first, ...others] = whole(await events.list('run-1', { after: { epoch: 1, n: 1 } }));
    const data = { kind: 'agent', isResumed: true };
    assert.deepEqual([first, others], [{ epoch: 2, n: 1, at: midnight + 5, type: 'run-start', data }, []]);
    const owner = (await runs.get('run-1'))?.owner ?? '';
    await events.append('run-1', { owner, epoch: 2 }, [line(2)]);
    assert.deepEqual(await allEvents(events, 'run-1', 100), ['1.1', '2.1', '2.2']);
  });

  withProcesses(
    'of many who claim a run with its start at once exactly one gets it, and no claim fails',
    async (store) => {
      const { runs, events, processes } = store;
      const owners = Array.from({ length: 8 }, (_, index) => `owner-${index}`);
      for (const id of owners) await processes.register({ id, deadAfterMs });
      for (let round = 0; round < 5; round += 1) {
        const id = `run-${round}`;
        await runs.create(newRun(id), { owner: 'dead' });
        const event = { type: 'run-start', ...scope, kind: 'agent', isResumed: true } as const;
        const claim = (owner: string) => runs.claim(id, { owner, start: { event, now: midnight } });
        const claims = await Promise.all(owners.map(claim));
        const [winner, ...others] = owners.filter((_, index) => claims[index] !== undefined);
        assert.deepEqual([(await runs.get(id))?.owner, others], [winner, []]);
        assert.deepEqual(await allEvents(events, id, 100), ['2.1']);
      }
    },
  );

  scenario('a sub-agent that ends with the run above it has a last event', async ({ runs, events }) => {
    const agent = { kind: 'agent' } as const;
    await runs.create(newRun('parent', { definition: agent }), { owner: 'one' });
    await runs.create(newRun('helper', { definition: agent, parentRunId: 'parent' }), { owner: 'one' });
    await runs.create(newRun('script', { parentRunId: 'helper' }), { owner: 'one' });
    await events.append('helper', { owner: 'one', epoch: 1 }, [line(1)]);
    await runs.transition('parent', { from: ['running'], to: 'cancelled', now: midnight + 3 });
    const [, last] = whole(await events.list('helper'));
    const message = 'The run parent, which started this run, is cancelled';
    const data = { status: 'cancelled', error: { code: 'E_CANCELLED', message, retryable: false } };
    assert.deepEqual(last, { epoch: 1, n: 2, at: midnight + 3, type: 'run-end', data });
    assert.deepEqual(await allEvents(events, 'script', 100), []);
  });

  const endsOfCalls = needing('events', 'journal');
  endsOfCalls('a run that ends without a process has an end for each of its calls', async (store) => {
    const { runs, events, journal } = store;
    const agent = { kind: 'agent' } as const;
    await runs.create(newRun('parent', { definition: agent }), { owner: 'one' });
    await runs.create(newRun('helper', { definition: agent, parentRunId: 'parent' }), { owner: 'one' });
    const facts = (callId: string) => ({ callId, tool: 'mail', caller: 'direct', argsPreview: '{}' });
    const begun = (n: number, callId: string) => ({ n, at: midnight, type: 'tool-call', data: facts(callId) });
    const asked = { n: 4, at: midnight, type: 'approval-requested', data: { ...facts('asked'), requestId: 'r' } };
    const ended = { n: 6, at: midnight, type: 'tool-result', data: { ...facts('ended'), status: 'ok' } };
    const all = [begun(1, 'sent'), begun(2, 'lost'), begun(3, 'asked'), asked, begun(5, 'ended'), ended];
    for (const runId of ['parent', 'helper']) {
      await events.append(runId, { owner: 'one', epoch: 1 }, all);
      const call = { ...facts('sent'), status: 'ok', startedAt: midnight, durationMs: 7, argsDigest: 'd' } as const;
      const entry = { runId, idempotencyKey: `${runId}:sent`, record: { ...call, status: 'started' } } as JournalEntry;
      await journal.started(entry);
      const result = { status: 'ok', text: 'sent', files: [] } as unknown as InvocationResult;
      await journal.finished({ ...entry, record: call } as JournalEntry, result);
    }
    const error = { code: 'E_CANCELLED', message: 'cancelled' };
    const event = { type: 'run-end', runId: 'parent', sessionId: 's', status: 'cancelled', error } as const;
    await runs.transition('parent', { from: ['running'], to: 'cancelled', now: midnight + 1, event });
    for (const runId of ['parent', 'helper']) {
      const added = whole(await events.list(runId, { after: { epoch: 1, n: 6 } }));
      assert.deepEqual(
        added.map(({ type, data }) => [type, data['callId'], data['status'], data['errorCode']]),
        [
          ['tool-result', 'sent', 'ok', undefined],
          ['tool-result', 'lost', 'error', 'E_CALL_UNKNOWN'],
          ['tool-result', 'asked', 'cancelled', 'E_CANCELLED'],
          ['run-end', undefined, 'cancelled', undefined],
        ],
      );
    }
  });

  if (damage === undefined) {
    skip('a damaged event (skipped: rows cannot be damaged)');
    return;
  }
  scenario('a damaged event is reported and hides no other', async (store) => {
    await store.runs.create(newRun('run-1'), { owner: 'one' });
    await store.events.append('run-1', { owner: 'one', epoch: 1 }, [line(1), line(2), line(3)]);
    await damage(store, { store: 'events', runId: 'run-1', epoch: 1, n: 2 });
    const { items, corrupt, next } = await store.events.list('run-1', { limit: 2 });
    assert.deepEqual([items.map(({ n }) => n), corrupt.length, next], [[1], 1, { epoch: 1, n: 2 }]);
    assert.match(corrupt[0]?.message ?? '', /run-1 1\.2/);
  });
}

async function allEvents(events: RunEventStore, runId: string, limit: number): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: RunEventId | undefined;
  do {
    const page = await events.list(runId, { limit, ...(after === undefined ? {} : { after }) });
    assert.ok(page.items.length <= limit);
    ids.push(...whole(page).map(({ epoch, n }) => `${epoch}.${n}`));
    after = page.next;
  } while (after !== undefined);
  return ids;
}
