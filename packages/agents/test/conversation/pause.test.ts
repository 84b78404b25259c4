import assert from 'node:assert/strict';
import { isKernelError, textBlock } from '@ravi/kernel';
import type { ModelProvider } from '@ravi/kernel';
import { createScriptedModel, pairingProblems } from '@ravi/testkit';
import { test } from 'vitest';
import { askClarificationTool, askUserTool, ReActAgent } from '../../src/index.ts';
import type { AgentMiddleware, AgentOptions, PausedRun } from '../../src/index.ts';
import { createTestHistory, createTestRuns, keepTestProcess } from '../support/memory-state.ts';
import { createOffice } from '../support/office-tools.ts';

const ask = (question: string): { readonly name: string; readonly arguments: { readonly question: string } } => ({
  name: 'ask_user',
  arguments: { question },
});

function agentWith(model: ModelProvider, more: Partial<AgentOptions> = {}): ReActAgent {
  const tools = [...createOffice().tools, askUserTool, askClarificationTool];
  return new ReActAgent({ name: 'clerk', model, tools, policy: { maxRiskUnapproved: 'high' }, ...more });
}

test('a question pauses the run, other calls get their results, and the answer becomes the result of the call', async () => {
  const model = createScriptedModel([{ toolCalls: [ask('Which?'), { name: 'look' }] }, { text: 'ok' }]);
  const agent = agentWith(model);
  const first = await agent.run('go');
  assert.deepEqual([first.status, first.reason], ['paused', 'question']);
  assert.deepEqual(first.paused?.questions, [{ callId: 'call-1-1', tool: 'ask_user', question: 'Which?' }]);
  assert.deepEqual(pairingProblems(first.messages, { openCalls: ['call-1-1'] }), []);
  const overTheWire = JSON.parse(JSON.stringify(first.paused)) as PausedRun;
  const second = await agent.resume(overTheWire, 'The blue one');
  assert.deepEqual([second.status, second.runId, second.steps], ['completed', first.runId, 2]);
  assert.deepEqual(pairingProblems(second.messages), []);
  const [answer] = model.requests[1]?.messages.at(-1)?.content ?? [];
  assert.ok(answer?.type === 'tool_result');
  assert.deepEqual([answer.toolUseId, answer.content], ['call-1-1', [textBlock('The blue one')]]);
});

test('a stored pause is resumed in another process, and only once', async () => {
  const history = createTestHistory();
  const runs = createTestRuns();
  const stores = { history, runs };
  const model = createScriptedModel([{ toolCalls: [ask('Which?')] }]);
  const first = await agentWith(model, stores).run('go', { sessionId: 's', principal: 'ada' });
  assert.equal(runs.all.get(first.runId)?.status, 'paused');
  const elsewhere = agentWith(createScriptedModel([{ text: 'ok' }]), stores);
  const point = { sessionId: 's', principal: 'ada' };
  const results = await Promise.all([elsewhere.resume(point, 'a'), elsewhere.resume(point, 'b')]);
  assert.deepEqual(results.map((result) => result.error?.code ?? result.status).toSorted(), [
    'E_STATE_CONFLICT',
    'completed',
  ]);
  assert.equal(runs.all.get(first.runId)?.status, 'completed');
  await assert.rejects(elsewhere.resume(point, 'c'), (error) => isKernelError(error, 'E_STATE_CONFLICT'));
  await assert.rejects(elsewhere.resume({ sessionId: 's' }, 'c'), (error) => isKernelError(error, 'E_STATE_CONFLICT'));
});

test('an answer that is sent twice answers one question, however it is addressed', async () => {
  const stores = { history: createTestHistory(), runs: createTestRuns() };
  const session = { sessionId: 's', principal: 'ada' };
  const model = createScriptedModel([{ toolCalls: [ask('The copy?')] }, { toolCalls: [ask('The original?')] }]);
  const agent = agentWith(model, stores);
  const { paused, runId } = await agent.run('Delete it', session);
  assert.ok(paused !== undefined);
  const first = JSON.parse(JSON.stringify(paused)) as PausedRun;
  const second = await agent.resume(first, 'yes');
  assert.equal(second.paused?.questions[0]?.question, 'The original?');
  const conflict = (error: unknown): boolean => isKernelError(error, 'E_STATE_CONFLICT');
  const { questions } = first;
  await assert.rejects(agent.resume(first, 'yes'), conflict);
  await assert.rejects(agent.resume({ ...session, questions }, 'yes'), conflict);
  await assert.rejects(agent.resume({ ...session, runId: 'run_of_before' }, 'yes'), conflict);
  await assert.rejects(agent.resume({ ...session, runId }, { 'call-1-1': 'yes' }), conflict);
  await assert.rejects(agent.resume({ ...session, runId }, {}), (error) => isKernelError(error, 'E_ARGUMENTS_INVALID'));
  assert.equal(stores.runs.all.get(runId)?.status, 'paused');
  const open = { ...session, runId, questions: second.paused.questions };
  const last = await agentWith(createScriptedModel([{ text: 'ok' }]), stores).resume(open, { 'call-2-1': 'no' });
  assert.equal(last.status, 'completed');
});

/** A paused run whose next answer fails to be stored. */
async function pausedBeforeOutage({ hasProcess }: { readonly hasProcess: boolean }) {
  const history = createTestHistory();
  const runs = createTestRuns();
  const stores = { history, runs, ...(hasProcess ? { process: keepTestProcess(runs, 'process_1') } : {}) };
  const agent = agentWith(
    createScriptedModel([{ toolCalls: [ask('Which?'), { name: 'look' }] }, { text: 'ok' }]),
    stores,
  );
  const first = await agent.run('go', { sessionId: 's' });
  history.failAt(history.entries.length + 1);
  return { agent, history, runs, first };
}

test('without a process, an answer that cannot be stored leaves the run paused, and can be sent again', async () => {
  const { agent, history, runs, first } = await pausedBeforeOutage({ hasProcess: false });
  const failed = await agent.resume({ sessionId: 's' }, 'this');
  assert.deepEqual([failed.status, failed.error?.code], ['paused', 'E_STATE_UNAVAILABLE']);
  assert.deepEqual(failed.paused, first.paused);
  const row = runs.all.get(first.runId);
  assert.deepEqual([row?.status, row?.owner, row?.outcome], ['paused', undefined, undefined]);
  assert.ok(failed.paused !== undefined);
  const again = await agent.resume(failed.paused, 'that');
  assert.deepEqual([again.status, again.text], ['completed', 'ok']);
  assert.deepEqual(pairingProblems(again.messages), []);
  assert.match(JSON.stringify(history.entries.at(-2)), /"that"/);
});

test('with a process, an answer waits until the store is available, and the run completes', async () => {
  const { agent, history, runs, first } = await pausedBeforeOutage({ hasProcess: true });
  const resumed = await agent.resume({ sessionId: 's' }, 'this');
  assert.deepEqual([resumed.status, resumed.text], ['completed', 'ok']);
  assert.deepEqual(pairingProblems(resumed.messages), []);
  assert.equal(history.entries.filter(({ message }) => JSON.stringify(message).includes('"this"')).length, 1);
  assert.equal(runs.all.get(first.runId)?.status, 'completed');
});

test('a resumed run has the remainder of its budget', async () => {
  const usage = { inputTokens: 500, outputTokens: 0 };
  const turns = [
    { toolCalls: [{ name: 'look' }, ask('Which?')], usage },
    { toolCalls: [{ name: 'look' }, { name: 'look' }], usage },
  ];
  const agent = agentWith(createScriptedModel(turns));
  const { paused } = await agent.run('go', { budget: { maxToolCalls: 3 } });
  assert.deepEqual(
    [paused?.budget?.limits, paused?.budget?.spent.toolCalls, paused?.budget?.spent.tokens],
    [{ maxToolCalls: 3 }, 2, 500],
  );
  const result = await agent.resume(JSON.parse(JSON.stringify(paused)) as PausedRun, 'The blue one');
  assert.deepEqual([result.status, result.reason], ['stopped', 'budget']);
  assert.match(result.error?.message ?? '', /budget of 3 tool calls/);
});

test('several questions of one step are answered by callId', async () => {
  const model = createScriptedModel([{ toolCalls: [ask('Which?'), ask('When?')] }, { text: 'ok' }]);
  const agent = agentWith(model);
  const { paused } = await agent.run('go');
  assert.ok(paused !== undefined);
  await assert.rejects(agent.resume(paused, 'both'), (error) => isKernelError(error, 'E_ARGUMENTS_INVALID'));
  const result = await agent.resume(paused, { 'call-1-1': 'blue', 'call-1-2': 'today' });
  assert.equal(result.status, 'completed');
  assert.deepEqual(pairingProblems(result.messages), []);
});

test('a resumed run has the permissions of its pause or fewer', async () => {
  const office = createOffice();
  const model = createScriptedModel([
    { toolCalls: [ask('Which?')] },
    { toolCalls: [{ name: 'write' }] },
    { text: 'ok' },
  ]);
  const tools = [...office.tools, askUserTool];
  const strict = agentWith(model, { tools, policy: {} });
  const { paused } = await strict.run('go', { allowedTools: ['ask_user', 'write'] });
  assert.ok(paused !== undefined);
  const result = await agentWith(model, { tools }).resume(paused, 'this');
  assert.deepEqual(office.done, []);
  assert.equal(result.trace[0]?.errorCode, 'E_APPROVAL_NO_HANDLER');
  assert.deepEqual(
    model.requests[1]?.tools.map((spec) => spec.name),
    ['write', 'ask_user'],
  );
});

test('a new task in a paused session leaves the question unanswered, and its result says so', async () => {
  const history = createTestHistory();
  const first = createScriptedModel([{ toolCalls: [ask('Which?'), { name: 'look' }] }]);
  await agentWith(first, { history }).run('go', { sessionId: 's' });
  const model = createScriptedModel([{ text: 'ok' }]);
  const result = await agentWith(model, { history }).run('never mind', { sessionId: 's' });
  assert.equal(result.status, 'completed');
  assert.deepEqual(pairingProblems(result.messages), []);
});

test('resume refuses a paused run of another agent, and tampered permissions', async () => {
  const agent = agentWith(createScriptedModel([{ toolCalls: [ask('Which?')] }]));
  const { paused } = await agent.run('go');
  assert.ok(paused !== undefined);
  const other = new ReActAgent({ name: 'other', model: createScriptedModel([]) });
  await assert.rejects(other.resume(paused, 'x'), (error) => isKernelError(error, 'E_CONFIG_INVALID'));
  const history = createTestHistory();
  await agentWith(createScriptedModel([{ toolCalls: [ask('Which?')] }]), { history }).run('go', { sessionId: 's' });
  const pause = history.entries.at(-1)?.details?.['pause'] as Record<string, unknown>;
  pause['permissions'] = { skills: [] };
  await assert.rejects(agentWith(createScriptedModel([]), { history }).resume({ sessionId: 's' }, 'x'), (error) =>
    isKernelError(error, 'E_STATE_CORRUPT'),
  );
});

test('resume refuses a paused run that lost a field on its way', async () => {
  const agent = agentWith(createScriptedModel([{ toolCalls: [ask('Which?')] }]));
  const { paused } = await agent.run('go');
  assert.ok(paused !== undefined);
  for (const field of ['permissions', 'questions', 'agent', 'messages'] as const) {
    const received = JSON.parse(JSON.stringify({ ...paused, [field]: undefined })) as PausedRun;
    await assert.rejects(
      agent.resume(received, 'yes'),
      (error) => isKernelError(error, 'E_STATE_CORRUPT') || isKernelError(error, 'E_CONFIG_INVALID'),
      field,
    );
  }
});

test('a script cannot ask the user: questions belong to the step', async () => {
  const model = createScriptedModel([
    { toolCalls: [{ name: 'ask_clarification', arguments: { question: 'What?' } }, { name: 'ask_user' }] },
  ]);
  const result = await agentWith(model).run('go');
  assert.deepEqual(
    result.paused?.questions.map((question) => question.tool),
    ['ask_clarification'],
  );
  assert.deepEqual(pairingProblems(result.messages, { openCalls: ['call-1-1'] }), []);
});

test('middleware cannot ask the user itself, but may turn a call into a question', async () => {
  const question = { question: 'May I?' };
  const refused: (string | undefined)[] = [];
  const asking: AgentMiddleware = {
    async step(context, next) {
      refused.push((await context.tool('ask_user', question)).error?.code);
      await next();
    },
    async tool(call, next, context) {
      refused.push((await context.tool('ask_user', question)).error?.code);
      return next({ ...call, name: 'ask_user', arguments: question });
    },
  };
  const model = createScriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'ok' }]);
  const agent = agentWith(model, { middleware: [asking] });
  const { paused } = await agent.run('go');
  assert.deepEqual(refused, ['E_TOOL_NOT_CALLABLE', 'E_TOOL_NOT_CALLABLE']);
  assert.deepEqual(paused?.questions, [{ callId: 'call-1-1', tool: 'ask_user', ...question }]);
  const result = await agent.resume(paused, 'yes');
  assert.equal(result.status, 'completed');
  assert.deepEqual(pairingProblems(result.messages), []);
});
