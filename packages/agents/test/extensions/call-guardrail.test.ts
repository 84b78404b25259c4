import assert from 'node:assert/strict';
import type { InterceptedCall } from '@ravi/kernel';
import { createScriptedModel, createTestApprovals, pairingProblems } from '@ravi/testkit';
import type { ScriptedToolCall } from '@ravi/testkit';
import { test } from 'vitest';
import { createAgentTool, createGuardrail, ReActAgent } from '../../src/index.ts';
import type { AgentOptions } from '../../src/index.ts';
import { createOffice } from '../support/office-tools.ts';

const policy = { maxRiskUnapproved: 'high' } as const;
const write: ScriptedToolCall = { name: 'write', arguments: { n: 'forbidden' } };

function createRails(): {
  readonly checked: readonly InterceptedCall[];
  readonly middleware: AgentOptions['middleware'] & {};
} {
  const checked: InterceptedCall[] = [];
  const call = (each: InterceptedCall): string | undefined => {
    checked.push(each);
    return each.args['n'] === 'forbidden' ? 'forbidden value' : undefined;
  };
  return { checked, middleware: [createGuardrail({ name: 'values', call })] };
}

for (const mode of ['direct', 'background'] as const) {
  test(`a call guardrail checks the calls of a ${mode} sub-agent and ends the run`, async () => {
    const office = createOffice();
    const { checked, middleware } = createRails();
    const helperModel = createScriptedModel([
      { toolCalls: [{ name: 'look' }] },
      { toolCalls: [write] },
      { text: 'helped' },
    ]);
    const helper = new ReActAgent({ name: 'helper', model: helperModel, tools: office.tools, policy });
    const model = createScriptedModel([
      { toolCalls: [{ name: 'helper', arguments: { task: 'help' } }] },
      { text: 'I wait' },
      { text: 'done' },
    ]);
    const tools = [createAgentTool(helper, { mode })];
    const result = await new ReActAgent({ name: 'clerk', model, tools, middleware }).run('go');
    assert.deepEqual(office.done, ['look']);
    assert.deepEqual(
      [result.status, result.reason, result.error?.message],
      ['stopped', 'guardrail', 'forbidden value'],
    );
    assert.deepEqual(
      checked.map(({ tool }) => tool),
      ['helper', 'look', 'write'],
    );
    assert.deepEqual(pairingProblems(result.messages), []);
  });
}

test('a call guardrail sees the arguments that an approver changed', async () => {
  const office = createOffice();
  const { middleware } = createRails();
  const approvalHandler = createTestApprovals(async () => ({
    decision: 'modified',
    modifiedArgs: { n: 'forbidden' },
  }));
  const model = createScriptedModel([{ toolCalls: [{ name: 'pay', arguments: { n: 'allowed' } }] }, { text: 'done' }]);
  const parts = { name: 'clerk', model, tools: office.tools, middleware, approvalHandler };
  const result = await new ReActAgent(parts).run('go');
  assert.deepEqual([office.done, result.reason, approvalHandler.requests.length], [[], 'guardrail', 1]);
});
