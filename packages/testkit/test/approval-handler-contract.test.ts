import assert from 'node:assert/strict';
import type { ApprovalHandler, ApprovalRequest } from '@ravi/kernel';
import { test } from 'vitest';
import { approvalHandlerContract } from '../src/approval-handler.ts';
import type { ApproverBehavior } from '../src/approval-handler.ts';
import { failuresOf, runSuite } from './run-suite.ts';

/** A handler that does everything right: a human who answers at once, or never. */
function createGoodHandler(answer: ApproverBehavior): ApprovalHandler {
  return {
    async request(_request, { signal }) {
      if (signal.aborted) return { decision: 'denied' };
      if (answer === 'modified') return { decision: answer, modifiedArgs: {} };
      if (answer !== 'silence') return { decision: answer };
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    },
  };
}

const every: readonly ApproverBehavior[] = ['approved', 'denied', 'skipped', 'modified', 'silence'];

function judge(request: ApprovalHandler['request'], answers: readonly ApproverBehavior[] = ['approved']) {
  return runSuite((run) => approvalHandlerContract(run, () => ({ request }), { answers }));
}

test('a good handler passes every test, and what it does not declare is skipped with the reason', async () => {
  const full = await runSuite((run) => approvalHandlerContract(run, createGoodHandler, { answers: every }));
  assert.deepEqual(new Set(Object.values(full)), new Set(['passed']));
  const partial = await runSuite((run) => approvalHandlerContract(run, createGoodHandler, { answers: ['denied'] }));
  const skipped = Object.keys(partial).filter((name) => partial[name] === 'skipped');
  assert.equal(skipped.length, 4);
  for (const name of skipped) assert.match(name, /skipped: the adapter declares that it cannot/);
});

test('a handler that approves a withdrawn question fails', async () => {
  const failures = failuresOf(await judge(async () => ({ decision: 'approved' })));
  assert.deepEqual(failures, ['never approves a request that was withdrawn before it was made']);
});

test('a handler that changes the question fails', async () => {
  const failures = failuresOf(
    await judge(async (request, { signal }) => {
      if (signal.aborted) return { decision: 'denied' };
      (request as { tool: ApprovalRequest['tool'] }).tool = 'other';
      return { decision: 'approved' };
    }),
  );
  assert.deepEqual(failures, ['does not change the request']);
});

test('a handler that leaves its listener on the signal fails', async () => {
  const failures = failuresOf(
    await judge(async (_request, { signal }) => {
      signal.addEventListener('abort', () => {});
      return { decision: signal.aborted ? 'denied' : 'approved' };
    }),
  );
  assert.deepEqual(failures, ['removes its listeners from the signal']);
});

test('a handler with another decision, unknown fields or a result that is not JSON fails', async () => {
  for (const result of [
    { decision: 'denied' },
    { decision: 'approved', extra: 1 },
    { decision: 'approved', reason: ' ' },
  ]) {
    const failures = failuresOf(
      await judge(async (_request, { signal }) => (signal.aborted ? { decision: 'denied' } : (result as never))),
    );
    assert.ok(failures.includes('gives the decision "approved" as plain, complete data'), JSON.stringify(result));
  }
});
