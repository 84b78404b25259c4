import assert from 'node:assert/strict';
import { KernelError } from '@ravi/kernel';
import type { CompleteStateStore, StateTransaction, WakeSink } from '@ravi/kernel';
import { createApprovalRequest } from '../doubles/test-approvals.ts';
import { newRun, rejectsWith } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const decision = { decision: 'approved', approver: 'grace', decidedAt: 2 } as const;

/** Sink that remembers each call as one list of runs and reasons. */
function recordingSink(when: WakeSink['when']): WakeSink & { readonly calls: string[][]; takeOvers: number } {
  const calls: string[][] = [];
  return {
    when,
    calls,
    takeOvers: 0,
    async wake(runs, { takeOver }) {
      calls.push(runs.map(({ runId, group, kind, reason }) => `${runId} ${group} ${kind} ${reason}`));
      if (takeOver === true) this.takeOvers += 1;
    },
  };
}

const newRequest = (id: string, runId: string): ReturnType<typeof createApprovalRequest> =>
  createApprovalRequest({ id, runId, principal: 'ada', requestedAt: 1, expiresAt: 100 });

/** Stores a paused run with a paused run inside it. */
async function pauseTwo({ runs }: Pick<CompleteStateStore, 'runs'>): Promise<void> {
  await runs.create(newRun('outer'), { owner: 'one' });
  await runs.create(newRun('inner', { parentRunId: 'outer' }), { owner: 'one' });
  for (const id of ['inner', 'outer']) await runs.transition(id, { from: ['running'], to: 'paused', now: 1 });
}

/** Cases about the runs that become workable. */
export function wakeCases({ needing }: StateStoreSuite): void {
  const scenario = needing('wakes', 'approvals', 'processes');

  scenario('a run that begins or is released without an owner is woken, and no other', async (store) => {
    const { runs, wakes } = store;
    const sink = recordingSink('after');
    using _attached = await wakes.attach(sink);
    await runs.create(newRun('free'));
    await runs.create(newRun('held'), { owner: 'one' });
    await runs.release('held', 'two');
    assert.deepEqual(sink.calls, [['free ada chain begun']]);
    await runs.release('held', 'one');
    assert.deepEqual(sink.calls.slice(1), [['held ada chain orphaned']]);
  });

  scenario('the outermost run is woken by an answer to a run inside it, once', async (store) => {
    const { approvals, wakes } = store;
    await pauseTwo(store);
    for (const id of ['a', 'b', 'c']) await approvals.create(newRequest(id, 'inner'));
    const sink = recordingSink('after');
    using _attached = await wakes.attach(sink);
    await approvals.decide('a', decision);
    await approvals.withdraw('b', { now: 2, reason: 'The call was cancelled' });
    await approvals.expire(101);
    assert.deepEqual(
      sink.calls,
      ['answered', 'cancelled', 'answered'].map((reason) => [`outer ada chain ${reason}`]),
    );
  });

  scenario('a run that waits for one inside it is woken by its end, and its own end wakes nothing', async (store) => {
    const { runs, approvals, wakes } = store;
    await pauseTwo(store);
    await approvals.create(newRequest('a', 'inner'));
    await approvals.create(newRequest('b', 'outer'));
    const sink = recordingSink('after');
    using _attached = await wakes.attach(sink);
    await runs.transition('inner', { from: ['paused'], to: 'cancelled', now: 3 });
    assert.deepEqual(sink.calls, [['outer ada chain child-ended']]);
    await runs.transition('outer', { from: ['paused'], to: 'cancelled', now: 4 });
    assert.equal(sink.calls.length, 1);
  });

  scenario('the runs of a removed process are taken over, and a blocked run is woken by its retry', async (store) => {
    const { runs, processes, wakes } = store;
    await processes.register({ id: 'one', deadAfterMs: 60_000 });
    await runs.create(newRun('left'), { owner: 'one' });
    await runs.create(newRun('left-inside', { parentRunId: 'left' }), { owner: 'one' });
    const block = { message: 'A tool is missing', needs: [] };
    await runs.create(newRun('blocked'), { owner: 'one' });
    await runs.transition('blocked', { from: ['running'], to: 'blocked', now: 1, block });
    const sink = recordingSink('after');
    using _attached = await wakes.attach(sink);
    await processes.remove('one');
    assert.deepEqual([sink.calls, sink.takeOvers], [[['left ada chain orphaned']], 1]);
    await runs.transition('blocked', { from: ['blocked'], to: 'running', now: 2 });
    assert.deepEqual([sink.calls[1], sink.takeOvers], [['blocked ada chain retried'], 1]);
  });

  scenario('a process wakes runs that it found, and only those that no process executes as orphaned', async (store) => {
    const { runs, processes, wakes } = store;
    await processes.register({ id: 'alive', deadAfterMs: 60_000 });
    await runs.create(newRun('held'), { owner: 'alive' });
    await runs.create(newRun('free'));
    await runs.create(newRun('over'), { owner: 'alive' });
    await runs.transition('over', { from: ['running'], to: 'completed', now: 1 });
    const sink = recordingSink('after');
    using _attached = await wakes.attach(sink);
    await wakes.send(['held', 'free', 'over', 'unknown'], 'orphaned');
    await wakes.send(['held'], 'answered');
    assert.deepEqual(sink.calls, [['free ada chain orphaned'], ['held ada chain answered']]);
    const many = Array.from({ length: 501 }, (_, index) => `run-${index}`);
    await rejectsWith('E_STATE_INVALID', wakes.send(many, 'answered'));
  });

  scenario('a sink inside the transaction sees it, and rolls it back by a failure', async (store) => {
    const { runs, wakes } = store;
    const seen: unknown[] = [];
    let fails = false;
    const count = async (transaction: StateTransaction | undefined): Promise<unknown> =>
      (await transaction?.run('SELECT id FROM ravi_runs WHERE id LIKE $1', ['run-%']))?.length;
    using attached = await wakes.attach({
      when: 'within',
      async wake(woken, { within }) {
        seen.push(...woken.map(({ runId }) => runId), await count(within));
        if (fails) throw new KernelError('E_ENGINE_UNAVAILABLE', 'The engine is gone', { retryable: true });
      },
    });
    // The attempt of the attachment, which stores nothing.
    seen.length = 0;
    await runs.create(newRun('run-1'));
    assert.deepEqual(seen, ['run-1', 1]);
    fails = true;
    await rejectsWith('E_ENGINE_UNAVAILABLE', runs.create(newRun('run-2')));
    assert.equal(await runs.get('run-2'), undefined);
    attached[Symbol.dispose]();
    await runs.create(newRun('run-2'));
    assert.equal(seen.length, 4);
  });

  scenario(
    'a sink that cannot be part of transactions is not attached, and one after them fails nothing',
    async (store) => {
      const { runs, wakes } = store;
      const wake = async (): Promise<never> => {
        throw new KernelError('E_UNSUPPORTED', 'Another database');
      };
      await rejectsWith('E_UNSUPPORTED', wakes.attach({ when: 'within', wake }));
      using _attached = await wakes.attach({ when: 'after', wake });
      await runs.create(newRun('run-1'));
      assert.equal((await runs.get('run-1'))?.status, 'running');
    },
  );
}
