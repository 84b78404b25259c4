import assert from 'node:assert/strict';
import type { ApprovalRequest, ApprovalDecisionInput } from '@ravi/kernel';
import { createApprovalRequest } from '@ravi/testkit';
import { approvalHandlerContract } from '@ravi/testkit/approval-handler';
import { pluginContract } from '@ravi/testkit/plugin';
import { test } from 'vitest';
import plugin, { createAutoApproval } from '../src/index.ts';
import type { AutoApprovalRule } from '../src/index.ts';

approvalHandlerContract(
  test,
  (decision) => createAutoApproval({ rules: [{ decision: decision as AutoApprovalRule['decision'] }] }),
  { answers: ['approved', 'denied', 'skipped'] },
);

pluginContract(test, plugin, { rules: [{ tool: 'publish_*', risk: 'high', decision: 'approved' }] });

function decide(rules: readonly AutoApprovalRule[], request: Partial<ApprovalRequest>): Promise<ApprovalDecisionInput> {
  return createAutoApproval({ rules }).request(createApprovalRequest(request), {
    signal: new AbortController().signal,
  });
}

test('the first rule that fits decides, later ones are not looked at', async () => {
  const rules: AutoApprovalRule[] = [
    { tool: 'delete_all', decision: 'denied', reason: 'never' },
    { risk: 'high', decision: 'approved' },
    { decision: 'denied' },
  ];
  assert.deepEqual(await decide(rules, { tool: 'delete_all' }), {
    decision: 'denied',
    reason: 'never',
    approver: 'rule 1',
  });
  assert.equal((await decide(rules, { tool: 'publish' })).approver, 'rule 2');
  assert.equal((await decide(rules, { tool: 'publish', risk: 'critical' })).approver, 'rule 3');
});

test('a rule with tool and risk fits only when both do, and risk is compared exactly', async () => {
  const rules: AutoApprovalRule[] = [{ tool: 'publish', risk: 'high', decision: 'approved' }];
  assert.equal((await decide(rules, { tool: 'publish', risk: 'high' })).decision, 'approved');
  assert.equal((await decide(rules, { tool: 'publish', risk: 'critical' })).decision, 'denied');
  assert.equal((await decide(rules, { tool: 'other', risk: 'high' })).decision, 'denied');
});

test('no rule that fits is denied, and the reason names tool and risk', async () => {
  for (const rules of [[], [{ tool: 'other', decision: 'approved' }] as const]) {
    const result = await decide(rules, { tool: 'publish', risk: 'critical' });
    assert.equal(result.decision, 'denied');
    assert.equal(result.reason, 'No approval rule matches the tool "publish" with risk critical');
  }
});

test('a star stands for any characters, and every other character for itself', async () => {
  const fits = async (pattern: string, tool: string): Promise<boolean> =>
    (await decide([{ tool: pattern, decision: 'approved' }], { tool })).decision === 'approved';
  assert.deepEqual(
    await Promise.all([
      fits('github.*', 'github.create_issue'),
      fits('*_read', 'file_read'),
      fits('a*c', 'abbc'),
      fits('*', 'x'),
    ]),
    [true, true, true, true],
  );
  assert.deepEqual(
    await Promise.all([
      fits('github.*', 'githubXcreate'),
      fits('read', 'read_all'),
      fits('a*c', 'abcd'),
      fits('[a]', 'a'),
    ]),
    [false, false, false, false],
  );
});

test('no rule answers a request for input', async () => {
  const elicitation = { mode: 'url', message: 'Sign in', url: 'https://example.org/' } as const;
  for (const decision of ['approved', 'denied'] as const) {
    await assert.rejects(decide([{ decision }], { elicitation }), { code: 'E_UNSUPPORTED' });
  }
});

test('a request for several calls is approved only if rules approve it and each of its calls', async () => {
  const rules: AutoApprovalRule[] = [
    { tool: 'delete_all', decision: 'denied', reason: 'never' },
    { tool: 'publish', risk: 'high', decision: 'approved' },
    { tool: 'approve_calls', decision: 'approved' },
  ];
  const together = (calls: unknown): Promise<ApprovalDecisionInput> =>
    decide(rules, { tool: 'approve_calls', args: { calls } as ApprovalRequest['args'] });
  const publish = { tool: 'publish', risk: 'high' };
  assert.equal((await together([publish, publish])).decision, 'approved');
  assert.equal((await together([publish, { tool: 'delete_all', risk: 'high' }])).reason, 'never');
  const unknown = 'No approval rule matches the tool "mail" with risk high';
  assert.equal((await together([publish, { tool: 'mail', risk: 'high' }])).reason, unknown);
  for (const calls of [undefined, 'publish', [publish, { tool: 'publish' }], [null]]) {
    assert.equal((await together(calls)).decision, 'denied');
  }
  const ownRule: AutoApprovalRule[] = [{ tool: 'publish', decision: 'approved' }];
  const own = await decide(ownRule, { tool: 'approve_calls', args: { calls: [publish] } });
  assert.equal(own.decision, 'denied');
});
