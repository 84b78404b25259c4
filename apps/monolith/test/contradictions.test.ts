import assert from 'node:assert/strict';
import { test } from 'vitest';
import { contradictionsOf } from '../src/access/contradictions.ts';

const agent = { maxSteps: 1, budget: { maxTokens: 100, maxToolCalls: 5 }, delegates: ['big', 'small', 'same'] };

test('a limit of a delegate above that of its caller is named with both keys, also if the caller inherits it', () => {
  const agents = {
    big: { budget: { maxTokens: 500, maxTimeMs: 1 } },
    small: { budget: { maxTokens: 100 } },
    same: {},
    heir: { delegates: [{ agent: 'big', name: 'helper' }] },
    rich: { budget: { maxToolCalls: 1 }, delegates: ['big'] },
  };
  const above = 'agents.big.budget.maxTokens is 500, above agent.budget.maxTokens, which is 100';
  assert.deepEqual(contradictionsOf('ravi', { agent, agents }), [`${above} and holds for it as a delegate of "ravi"`]);
  assert.deepEqual(contradictionsOf('heir', { agent, agents }), [`${above} and holds for it as a delegate of "heir"`]);
  assert.deepEqual(contradictionsOf('rich', { agent, agents }), []);
});

test('a skill that is offered and imposed, and a tool that is allowed and denied, are named with their key', () => {
  const clerk = {
    skills: { offer: ['mail', 'careful'], impose: ['careful'] },
    tools: { allow: ['echo', 'refund_*'], deny: ['refund_*', 'launch'] },
  };
  assert.deepEqual(contradictionsOf('clerk', { agent, agents: { clerk } }), [
    'agents.clerk.tools: "refund_*" is in "allow" and in "deny", which wins. Remove it from one of them',
    'agents.clerk.skills: "careful" is offered and imposed; it is imposed. Remove it from "offer"',
  ]);
  assert.deepEqual(
    contradictionsOf('ravi', { agent: { maxSteps: 1, tools: { allow: ['a'] } }, agents: { clerk } }),
    [],
  );
});
