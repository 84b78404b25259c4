import assert from 'node:assert/strict';
import { HookManager } from '@ravi/invoker';
import { defineTool, isKernelError, KernelError, silentLogger, textOf } from '@ravi/kernel';
import type { ModelMessage, ModelProvider } from '@ravi/kernel';
import { createFakeClock, createScriptedModel, pairingProblems } from '@ravi/testkit';
import type { ScriptedTurn } from '@ravi/testkit';
import { test } from 'vitest';
import { ReActAgent } from '../../src/index.ts';
import { createWorld, deadAfterMs, start, where } from '../support/recovery-world.ts';
import type { RecoveryWorld } from '../support/recovery-world.ts';

function resultsOf(messages: readonly ModelMessage[]): readonly string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_result' ? [textOf(block.content)] : [])),
  );
}

/** Starts a run whose process hangs in a call forever, like one that was killed. */
async function killDuring(world: RecoveryWorld, calls: readonly string[], last: string): Promise<void> {
  const model = createScriptedModel([
    { toolCalls: calls.map((name) => ({ name })), usage: { inputTokens: 30, outputTokens: 4 } },
  ]);
  void world.process(model).run('go', where);
  while (world.office.done.at(-1) !== last) await new Promise(setImmediate);
  while (calls.includes('write') && !world.journal.writes.some(({ kind }) => kind === 'finished')) {
    await new Promise(setImmediate);
  }
}

test('recover keeps recorded outcomes, reports unknown ones, and repeats calls without side effects', async () => {
  const world = createWorld();
  await killDuring(world, ['look', 'write', 'hang'], 'hang');
  const model = createScriptedModel([{ text: 'done', usage: { inputTokens: 50, outputTokens: 1 } }]);
  const result = await world.process(model).recover(world.row(), world.recovery).result;
  assert.deepEqual([result.status, result.text, result.steps], ['completed', 'done', 2]);
  assert.deepEqual(result.usage, { inputTokens: 80, outputTokens: 5 });
  assert.deepEqual(world.office.done, ['look', 'write', 'hang', 'look']);
  const [look, write, hang] = resultsOf(result.messages);
  assert.deepEqual([look, write], ['look is done', 'write is done']);
  assert.match(hang ?? '', /while hang was running\. Its outcome is unknown/);
  assert.deepEqual(pairingProblems(result.messages), []);
  assert.deepEqual([world.row().status, world.row().owner], ['completed', undefined]);
});

test('recovery reports the end of each call that it does not repeat, and of the step, and records unknown outcomes', async () => {
  const world = createWorld();
  await killDuring(world, ['look', 'write', 'hang'], 'hang');
  const hooks = new HookManager({ clock: createFakeClock(), logger: silentLogger });
  const agent = world.process(createScriptedModel([{ text: 'done' }]), { hooks });
  const ends: string[] = [];
  hooks.observe('tool-result', ({ tool, callId, status, errorCode = '', wasRecorded = false }) => {
    ends.push([tool, callId, status, errorCode, wasRecorded ? 'recorded before' : ''].join(' ').trimEnd());
  });
  hooks.observe('step-end', ({ step, toolCalls }) => {
    ends.push(`step ${step} with ${toolCalls} calls`);
  });
  await agent.recover(world.row(), world.recovery).result;
  assert.deepEqual(ends, [
    'write call-1-2 ok  recorded before',
    'hang call-1-3 error E_CALL_UNKNOWN',
    'look call-1-1 ok',
    'step 1 with 3 calls',
    'step 2 with 0 calls',
  ]);
  const hang = (await world.recovery.journal.entries(where.runId)).items.find(
    (item) => item.type === 'call' && item.entry.record.tool === 'hang',
  );
  assert.ok(hang?.type === 'call' && hang.status === 'finished');
  assert.deepEqual([hang.entry.record.status, hang.entry.record.errorCode], ['unknown', 'E_CALL_UNKNOWN']);
  assert.match(hang.result?.text ?? '', /while hang was running\. Its outcome is unknown/);
});

test('a run is not recovered while its process lives, and only one of two processes recovers it', async () => {
  const world = createWorld();
  await killDuring(world, ['hang'], 'hang');
  const sameTime = world.process(createScriptedModel([{ text: 'done' }]), { clock: createFakeClock(start) });
  await assert.rejects(sameTime.recover(world.row(), world.recovery).result, (error) =>
    isKernelError(error, 'E_STATE_CONFLICT'),
  );
  const later = [1, 2].map(() =>
    world.process(createScriptedModel([{ text: 'done' }]), { clock: createFakeClock(start + deadAfterMs) }),
  );
  const results = await Promise.allSettled(later.map((agent) => agent.recover(world.row(), world.recovery).result));
  assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  assert.equal(world.row().status, 'completed');
});

test('a process that has lost a run to another one writes nothing more', async () => {
  const world = createWorld();
  const clock = createFakeClock(start);
  const slow = createScriptedModel([{ toolCalls: [{ name: 'hang' }] }]);
  const first = world.process(slow, { clock }).run('go', where);
  while (world.office.done.length === 0) await new Promise(setImmediate);
  const second = await world.process(createScriptedModel([{ text: 'done' }])).recover(world.row(), world.recovery)
    .result;
  const turns = world.history.entries.length;
  clock.advance(deadAfterMs);
  assert.equal((await first).status, 'cancelled');
  assert.deepEqual([second.status, world.row().status], ['completed', 'completed']);
  assert.equal(world.history.entries.length, turns);
});

test('an orderly shutdown releases the run at once, and its calls stay open', async () => {
  const world = createWorld();
  const ending = new AbortController();
  const model = createScriptedModel([{ text: 'I look.', toolCalls: [{ name: 'look' }, { name: 'hang' }] }]);
  const first = world.process(model).run('go', { ...where, signal: ending.signal });
  while (!world.office.done.includes('hang')) await new Promise(setImmediate);
  const cause = new KernelError('E_RUN_SUSPENDED', 'The process is shutting down');
  ending.abort(new KernelError('E_CANCELLED', 'The process is shutting down', { cause }));
  const suspended = await first;
  assert.deepEqual([suspended.status, suspended.error?.code], ['cancelled', 'E_RUN_SUSPENDED']);
  assert.deepEqual([world.row().status, world.row().owner], ['running', undefined]);
  assert.deepEqual(
    world.history.entries.map(({ message }) => message.role),
    ['user', 'assistant'],
  );

  const next = world.process(createScriptedModel([{ text: 'done' }]), { clock: createFakeClock(start) });
  const result = await next.recover(world.row(), world.recovery).result;
  assert.equal(result.status, 'completed');
  assert.match(resultsOf(result.messages)[1] ?? '', /is unknown/);
});

test('a recovered run has the permissions of its start, or fewer', async () => {
  const world = createWorld();
  const model = createScriptedModel([{ toolCalls: [{ name: 'hang' }] }]);
  void world.process(model).run('go', { ...where, allowedTools: ['hang', 'write'] });
  while (world.office.done.length === 0) await new Promise(setImmediate);
  const again = createScriptedModel([{ toolCalls: [{ name: 'look' }, { name: 'write' }] }, { text: 'done' }]);
  const result = await world.process(again, { policy: {} }).recover(world.row(), world.recovery).result;
  assert.deepEqual(result.trace.map(({ tool, errorCode }) => `${tool} ${errorCode}`).toSorted(), [
    'look E_TOOL_NOT_ALLOWED',
    'write E_APPROVAL_NO_HANDLER',
  ]);
});

test('a recovered run keeps the restrictions of a skill that has changed or is gone, until it is deactivated', async () => {
  const reader = { name: 'reader', description: 'd', instructions: 'i', version: '1.0.0', allowedTools: ['hang'] };
  const { allowedTools: _, ...unbound } = reader;
  const step = (name: string, skill?: string): ScriptedTurn => ({
    toolCalls: [{ name, arguments: skill === undefined ? {} : { name: skill } }],
  });
  for (const [skills, isKnown] of [
    [[{ ...reader, allowedTools: ['write', 'hang'] }], true],
    [[unbound], true],
    [[], false],
  ] as const) {
    const world = createWorld();
    const first = createScriptedModel([step('activate_skill', 'reader'), step('hang')]);
    void world.process(first, { skills: [reader] }).run('go', where);
    while (world.office.done.length === 0) await new Promise(setImmediate);
    // The second process records the permissions again, and a third one reads them.
    void world.process(createScriptedModel([step('hang')]), { skills }).recover(world.row(), world.recovery);
    while (world.office.done.length < 2) await new Promise(setImmediate);
    const given = isKnown ? [step('deactivate_skill', 'reader'), step('write')] : [];
    const third = createScriptedModel([step('write'), ...given, { text: 'done' }]);
    const { trace } = await world.process(third, { skills }).recover(world.row(), world.recovery).result;
    assert.deepEqual(
      trace.map(({ tool, errorCode = 'ok' }) => `${tool} ${errorCode}`),
      ['write E_TOOL_NOT_ALLOWED', ...(isKnown ? ['deactivate_skill ok', 'write ok'] : [])],
    );
  }
});

test('permissions of a resumed run apply in the process that recovers it', async () => {
  const world = createWorld();
  const ask = { name: 'ask_user', arguments: { question: 'Which?' } };
  await world.process(createScriptedModel([{ toolCalls: [ask] }])).run('go', where);
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const hanging: ModelProvider = {
    id: 'hanging',
    async *stream() {
      resolve();
      await new Promise(() => {});
    },
  };
  const { runId: _, ...session } = where;
  const narrower = { allowedTools: ['write'], policy: { maxRiskUnapproved: 'safe' } } as const;
  void world.process(hanging).resume(session, 'this', narrower);
  await asked;
  const second = createScriptedModel([{ toolCalls: [{ name: 'write' }, { name: 'break' }] }, { text: 'done' }]);
  const { trace } = await world.process(second).recover(world.row(), world.recovery).result;
  assert.deepEqual(trace.map(({ tool, errorCode }) => `${tool} ${errorCode}`).toSorted(), [
    'break E_TOOL_NOT_ALLOWED',
    'write E_APPROVAL_NO_HANDLER',
  ]);
});

test('permissions are recorded when they change, and corrupt ones end the run', async () => {
  const world = createWorld();
  const { history } = world;
  await killDuring(world, ['hang'], 'hang');
  const model = createScriptedModel([{ toolCalls: [{ name: 'look' }] }, { toolCalls: [{ name: 'hang' }] }]);
  void world.process(model).recover(world.row(), world.recovery);
  while (world.office.done.length < 3) await new Promise(setImmediate);
  const noted = history.entries.map(({ details }) => details?.['permissions'] !== undefined);
  assert.deepEqual(noted, [false, false, true, false, false, false]);
  Object.assign(history.entries[2]?.details?.['permissions'] as object, { skillBounds: ['look'] });
  const third = world.process(createScriptedModel([{ text: 'done' }]));
  await assert.rejects(third.recover(world.row(), world.recovery).result, (error) =>
    isKernelError(error, 'E_STATE_CORRUPT'),
  );
});

test('a stored final answer completes the run, and a stored question pauses it again', async () => {
  const world = createWorld();
  const { history, runs } = world;
  await world.process(createScriptedModel([{ text: 'the answer' }])).run('go', where);
  // As if the process had died just before it recorded the end.
  const { outcome: _, ...unfinished } = world.row();
  runs.restore({ ...unfinished, status: 'running' });
  const result = await world.process(createScriptedModel([])).recover(world.row(), world.recovery).result;
  assert.deepEqual([result.status, result.text, history.entries.length], ['completed', 'the answer', 2]);

  const asking = createWorld();
  const question = { name: 'ask_user', arguments: { question: 'Which?' } };
  await asking.process(createScriptedModel([{ toolCalls: [question] }])).run('go', where);
  asking.runs.restore({ ...asking.row(), status: 'running' });
  const paused = await asking.process(createScriptedModel([])).recover(asking.row(), asking.recovery).result;
  assert.deepEqual([paused.status, paused.paused?.questions.length], ['paused', 1]);
  assert.equal(asking.row().status, 'paused');
  const resumed = await asking
    .process(createScriptedModel([{ text: 'ok' }]))
    .resume({ sessionId: 's', principal: 'ada' }, 'this');
  assert.equal(resumed.status, 'completed');
});

test('a stored response keeps the stop reason that the model gave', async () => {
  const outcomes: unknown[] = [];
  for (const reason of ['pause', 'length', 'refusal', undefined] as const) {
    const world = createWorld();
    await world.process(createScriptedModel([{ text: 'Half of it' }, { text: 'never' }])).run('go', where);
    const { outcome: _, ...unfinished } = world.row();
    world.runs.restore({ ...unfinished, status: 'running' });
    const details = world.history.entries[1]?.details as Record<string, unknown>;
    assert.equal(details['stopReason'], 'end');
    // With the stop reason of the model; turns of earlier versions do not have one.
    details['stopReason'] = reason;
    const model = createScriptedModel([{ text: 'the rest' }]);
    const result = await world.process(model).recover(world.row(), world.recovery).result;
    outcomes.push([result.status, result.reason, result.text]);
  }
  assert.deepEqual(outcomes, [
    ['completed', 'answer', 'the rest'],
    ['stopped', 'length', 'Half of it'],
    ['stopped', 'refusal', 'Half of it'],
    ['completed', 'answer', 'Half of it'],
  ]);
});

test('a call of a truncated response is refused in the next process too', async () => {
  for (const reason of ['length', 'refusal'] as const) {
    const world = createWorld();
    const { promise: stalls, resolve: stall } = Promise.withResolvers<void>();
    let attempts = 0;
    // Safe, so that it starts before the response is complete.
    const wait = defineTool({
      name: 'wait',
      description: 'Waits, in the first process for ever',
      risk: 'safe',
      inputSchema: { type: 'object' },
      execute: async () => {
        if (attempts++ > 0) return 'waited';
        stall();
        return new Promise<string>(() => {});
      },
    });
    const tools = [...world.office.tools, wait];
    const cut = createScriptedModel([{ toolCalls: [{ name: 'hang' }, { name: 'wait' }], reason }]);
    void world.process(cut, { tools }).run('go', where);
    await stalls;
    while (world.history.entries.length < 2) await new Promise(setImmediate);
    const next = world.process(createScriptedModel([{ text: 'done' }]), { tools });
    const result = await next.recover(world.row(), world.recovery).result;
    const [hang, waited] = resultsOf(result.messages);
    assert.match(hang ?? '', /was cut off, so hang was not called/);
    assert.equal(waited, 'waited');
    assert.deepEqual(world.office.done, []);
  }
});

test('recover fails a run without a stored task, or whose session has continued without it', async () => {
  const world = createWorld();
  await killDuring(world, ['hang'], 'hang');
  const { history } = world;
  const message: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'something else' }] };
  const entry = { principal: 'ada', sessionId: 's', runId: 'another', message, createdAt: start };
  await history.append([entry], history.entries.length);
  const result = await world.process(createScriptedModel([])).recover(world.row(), world.recovery).result;
  assert.deepEqual([result.status, result.error?.code], ['failed', 'E_RUN_LOST']);
  assert.equal(world.row().status, 'failed');

  const empty = createWorld();
  const { definition, ...row } = world.row();
  const { task: _task, ...details } = definition.details ?? {};
  empty.runs.restore({ ...row, definition: { ...definition, details }, status: 'running', sessionId: 'other' });
  const lost = await empty.process(createScriptedModel([])).recover(empty.row(), empty.recovery).result;
  assert.match(lost.error?.message ?? '', /before the task of this run was stored/);
});

test('a run whose process ended before its task was stored starts with the task and the budget of its row', async () => {
  const world = createWorld();
  const append = world.history.append.bind(world.history);
  world.history.append = () => new Promise(() => {});
  void world.process(createScriptedModel([])).run('count to two', { ...where, budget: { maxToolCalls: 1 } });
  while (world.runs.all.size === 0) await new Promise(setImmediate);
  world.history.append = append;
  const model = createScriptedModel([{ toolCalls: [{ name: 'look' }] }, { toolCalls: [{ name: 'look' }] }]);
  const result = await world.process(model).recover(world.row(), world.recovery).result;
  assert.equal(textOf(result.messages[0]?.content ?? []), 'count to two');
  assert.deepEqual([result.status, result.reason], ['stopped', 'budget']);
});

test('an agent recovers only its own runs, and none without a process', async () => {
  const world = createWorld();
  await killDuring(world, ['hang'], 'hang');
  const agent = new ReActAgent({
    name: 'clerk',
    model: createScriptedModel([]),
    history: world.history,
    runs: world.runs,
  });
  const other = world.process(createScriptedModel([]), { name: 'other' });
  for (const wrong of [agent, other]) {
    await assert.rejects(wrong.recover(world.row(), world.recovery).result, (error) =>
      isKernelError(error, 'E_CONFIG_INVALID'),
    );
  }
  assert.equal(world.row().owner, 'process_1');
});

test('only an agent whose runs can be recovered may park requests for approval', async () => {
  const { history, runs } = createWorld();
  const options = { name: 'clerk', model: createScriptedModel([]), history, runs, onApprovalExpiry: 'park' } as const;
  await assert.rejects(new ReActAgent(options).run('count'), (error) => isKernelError(error, 'E_CONFIG_INVALID'));
});

test('a corrupt stored budget ends the run', async () => {
  const world = createWorld();
  await killDuring(world, ['hang'], 'hang');
  const [task] = world.history.entries;
  assert.ok(task?.details !== undefined);
  Object.assign(task.details, { budget: { spent: { tokens: 'none' } } });
  const agent = world.process(createScriptedModel([{ text: 'done' }]));
  await assert.rejects(agent.recover(world.row(), world.recovery).result, (error) =>
    isKernelError(error, 'E_STATE_CORRUPT'),
  );
  assert.equal(world.row().status, 'failed');
});
