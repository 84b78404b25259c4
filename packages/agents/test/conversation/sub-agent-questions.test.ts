import assert from 'node:assert/strict';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { Question, Tool } from '@ravi/kernel';
import { createScriptedModel, pairingProblems } from '@ravi/testkit';
import type { ScriptedTurn } from '@ravi/testkit';
import { test } from 'vitest';
import { askUserTool, createAgentTool, ReActAgent } from '../../src/index.ts';
import type { AgentOptions, AgentResult, PausedRun } from '../../src/index.ts';
import { createTestHistory, createTestRuns, keepTestProcess } from '../support/memory-state.ts';
import { createOffice } from '../support/office-tools.ts';

const ask = (question: string): { readonly name: string; readonly arguments: { readonly question: string } } => ({
  name: 'ask_user',
  arguments: { question },
});
const help = (name: string): { readonly name: string; readonly arguments: { readonly task: string } } => ({
  name,
  arguments: { task: 'help' },
});
const policy = { maxRiskUnapproved: 'high' } as const;

/** An agent of the tests: its turns before and after a restart of the process are those of one model. */
function agentOf(name: string, turns: readonly ScriptedTurn[], more: Partial<AgentOptions> = {}): ReActAgent {
  const tools = [askUserTool, ...createOffice().tools, ...((more.tools as readonly Tool[] | undefined) ?? [])];
  return new ReActAgent({ policy, ...more, name, model: createScriptedModel(turns), tools });
}

const inOrder = (questions: readonly Question[]): readonly Question[] =>
  questions.toSorted((left, right) => left.callId.localeCompare(right.callId));

const lastTexts = ({ messages }: AgentResult): readonly string[] =>
  messages.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === 'tool_result' ? block.content.map((part) => (part.type === 'text' ? part.text : '')) : [],
    ),
  );

test('a question of a sub-agent pauses its caller, and the answer reaches the sub-agent in another process', async () => {
  const before = agentOf('lead', [{ toolCalls: [help('worker'), { name: 'look' }] }], {
    tools: [createAgentTool(agentOf('worker', [{ toolCalls: [{ name: 'look' }, ask('Which?')] }]))],
  });
  const first = await before.run('go');
  assert.deepEqual([first.status, first.reason], ['paused', 'question']);
  const { paused } = first;
  assert.ok(paused);
  const [question] = paused.questions;
  assert.deepEqual(
    [question?.callId, question?.question, question?.agent, question?.runId],
    ['call-1-1.call-1-2', 'Which?', 'worker', paused.subAgents?.['call-1-1']?.runId],
  );
  assert.deepEqual(pairingProblems(first.messages, { openCalls: ['call-1-1'] }), []);

  const after = agentOf('lead', [{ text: 'ok' }], {
    tools: [createAgentTool(agentOf('worker', [{ text: 'The blue one' }]))],
  });
  const overTheWire = JSON.parse(JSON.stringify(paused)) as PausedRun;
  await assert.rejects(after.resume(overTheWire, { 'call-1-1': 'blue' }), (error) =>
    isKernelError(error, 'E_STATE_CONFLICT'),
  );
  const second = await after.resume(overTheWire, { 'call-1-1.call-1-2': 'blue' });
  assert.deepEqual([second.status, second.runId, second.steps], ['completed', first.runId, 2]);
  assert.deepEqual(pairingProblems(second.messages), []);
  assert.ok(lastTexts(second).includes('The blue one'));
});

test('two sub-agents, one below another, and their caller ask at once', async () => {
  const boss = (turns: readonly ScriptedTurn[], below: readonly ScriptedTurn[]): Tool =>
    createAgentTool(agentOf('boss', turns, { tools: [createAgentTool(agentOf('worker', below))] }));
  const clerk = (turns: readonly ScriptedTurn[]): Tool => createAgentTool(agentOf('clerk', turns));
  const before = agentOf('lead', [{ toolCalls: [help('boss'), help('clerk'), ask('Own?')] }], {
    tools: [
      boss([{ toolCalls: [help('worker')] }], [{ toolCalls: [ask('Deep?')] }]),
      clerk([{ toolCalls: [ask('Flat?')] }]),
    ],
  });
  const { paused } = await before.run('go');
  assert.ok(paused);
  assert.deepEqual(
    inOrder(paused.questions).map(({ callId, agent }) => [callId, agent]),
    [
      ['call-1-1.call-1-1.call-1-1', 'worker'],
      ['call-1-2.call-1-1', 'clerk'],
      ['call-1-3', undefined],
    ],
  );
  const after = agentOf('lead', [{ text: 'ok' }], {
    tools: [boss([{ text: 'boss done' }], [{ text: 'worker done' }]), clerk([{ toolCalls: [ask('Again?')] }])],
  });
  await assert.rejects(after.resume(paused, { 'call-1-3': 'own' }), (error) =>
    isKernelError(error, 'E_ARGUMENTS_INVALID'),
  );
  const again = await after.resume(paused, {
    'call-1-1.call-1-1.call-1-1': 'deep',
    'call-1-2.call-1-1': 'flat',
    'call-1-3': 'own',
  });
  // The sub-agent that has ended does not run again.
  assert.deepEqual(
    again.paused?.questions.map(({ callId, question }) => [callId, question]),
    [['call-1-2.call-1-1~2', 'Again?']],
  );
  const end = agentOf('lead', [{ text: 'ok' }], { tools: [boss([], []), clerk([{ text: 'clerk done' }])] });
  assert.ok(again.paused);
  const result = await end.resume(again.paused, 'yes');
  assert.equal(result.status, 'completed');
  assert.deepEqual(lastTexts(result), ['boss done', 'clerk done', 'own']);
  assert.deepEqual(pairingProblems(result.messages), []);
});

for (const stored of ['history', 'history, runs and process'] as const) {
  test(`the question of a sub-agent is found by its session (${stored})`, async () => {
    const history = createTestHistory();
    const runs = createTestRuns();
    const process = keepTestProcess(runs, 'process_1');
    const stores = stored === 'history' ? { history } : { history, runs, process };
    const before = agentOf('lead', [{ toolCalls: [help('worker')] }], {
      ...stores,
      tools: [createAgentTool(agentOf('worker', [{ toolCalls: [ask('Which?')] }]))],
    });
    const first = await before.run('go', { sessionId: 's', principal: 'ada' });
    assert.equal(first.status, 'paused');
    const rows = (): readonly (string | undefined)[] => [...runs.all.values()].map(({ status }) => status);
    assert.deepEqual(rows(), stored === 'history' ? [] : ['paused', 'paused']);

    const after = agentOf('lead', [{ text: 'ok' }], {
      ...stores,
      tools: [createAgentTool(agentOf('worker', [{ text: 'The blue one' }]))],
    });
    const point = { sessionId: 's', principal: 'ada' };
    const second = await after.resume(point, 'blue');
    assert.deepEqual([second.status, lastTexts(second)], ['completed', ['The blue one']]);
    assert.deepEqual(rows(), stored === 'history' ? [] : ['completed', 'completed']);
    await assert.rejects(after.resume(point, 'red'), (error) => isKernelError(error, 'E_STATE_CONFLICT'));
  });
}

test('a caller is charged once for what its sub-agent spends before and after a question', async () => {
  const usage = { inputTokens: 60, outputTokens: 0 };
  const budget = { maxTokens: 10_000 };
  const before = agentOf('lead', [{ toolCalls: [help('worker')], usage }], {
    budget,
    tools: [createAgentTool(agentOf('worker', [{ toolCalls: [ask('Which?')], usage }]))],
  });
  const { paused } = await before.run('go');
  const after = agentOf('lead', [{ toolCalls: [ask('More?')], usage }], {
    budget,
    tools: [createAgentTool(agentOf('worker', [{ text: 'blue', usage }]))],
  });
  const again = await after.resume(paused as PausedRun, 'blue');
  assert.deepEqual([paused?.budget?.spent.tokens, again.paused?.budget?.spent.tokens], [60, 240]);
});

test('an answered run waits while the store of approvals is unavailable', async () => {
  const runs = createTestRuns();
  const stores = { history: createTestHistory(), runs, process: keepTestProcess(runs, 'process_1') };
  const lead = (turns: readonly ScriptedTurn[], below: readonly ScriptedTurn[]): ReActAgent =>
    agentOf('lead', turns, { ...stores, tools: [createAgentTool(agentOf('worker', below))] });
  await lead([{ toolCalls: [help('worker')] }], [{ toolCalls: [ask('Which?')] }]).run('go', { sessionId: 's' });
  let failures = 2;
  const missing = async (): Promise<{ readonly status: 'not-found' }> => ({ status: 'not-found' });
  const approvals = {
    async list() {
      if (failures-- > 0) throw new KernelError('E_STATE_UNAVAILABLE', 'The store is gone', { retryable: true });
      return { items: [], corrupt: [] };
    },
    withdraw: missing,
    consume: missing,
  };
  const journal = { entries: async () => ({ items: [], corrupt: [] }) };
  const after = lead([{ text: 'ok' }], [{ text: 'The blue one' }]);
  const answered = await after.resume({ sessionId: 's' }, 'blue', { stores: { approvals, journal } });
  assert.deepEqual([answered.status, lastTexts(answered), failures < 0], ['completed', ['The blue one'], true]);
});
