import assert from 'node:assert/strict';
import type { ModelProvider, Skill } from '@ravi/kernel';
import { createScriptedModel, pairingProblems } from '@ravi/testkit';
import { test } from 'vitest';
import { askUserTool, createAgentTool, infoTool, ReActAgent } from '../../src/index.ts';
import { createOffice } from '../support/office-tools.ts';

const reading: Skill = {
  name: 'reading',
  description: 'How to read files.\nUse it for every file.',
  instructions: 'Look twice.',
  allowedTools: ['look'],
  version: '1.0.0',
};
const writing: Skill = { name: 'writing', description: 'How to write.', instructions: 'Write once.', version: '1.0.0' };
const policy = { maxRiskUnapproved: 'high' } as const;

const activate = (name: string): { readonly name: string; readonly arguments: { readonly name: string } } => ({
  name: 'activate_skill',
  arguments: { name },
});

test('names and descriptions are in the prompt, instructions only while the skill is active', async () => {
  const model = createScriptedModel([
    { toolCalls: [activate('reading')] },
    { toolCalls: [{ name: 'deactivate_skill', arguments: { name: 'reading' } }] },
    { text: 'ok' },
  ]);
  const skills = [writing, reading];
  await new ReActAgent({ name: 'clerk', model, system: 'Be brief.', tools: createOffice().tools, skills }).run('go');
  const [before, during, after] = model.requests.map((request) => request.system);
  assert.match(
    before ?? '',
    /^Be brief\.[\s\S]*- reading: How to read files\. Use it for every file\.\n- writing: How to write\.$/,
  );
  assert.ok(during?.endsWith('## Skill: reading\n\nLook twice.'));
  assert.equal(after, before);
});

test('an active skill restricts the run to its tools, at the invoker and in the offered tools', async () => {
  const office = createOffice();
  const model = createScriptedModel([
    { toolCalls: [{ name: 'write' }] },
    { toolCalls: [activate('reading')] },
    { toolCalls: [{ name: 'write' }, { name: 'look' }] },
    { text: 'ok' },
  ]);
  const result = await new ReActAgent({ name: 'clerk', model, tools: office.tools, skills: [reading], policy }).run(
    'go',
  );
  assert.deepEqual(office.done, ['write', 'look']);
  assert.equal(result.trace.find((record) => record.status === 'denied')?.errorCode, 'E_TOOL_NOT_ALLOWED');
  assert.deepEqual(
    model.requests[2]?.tools.map((spec) => spec.name),
    ['look', 'activate_skill', 'deactivate_skill'],
  );
});

test('two active skills allow only tools that both allow', async () => {
  const office = createOffice();
  const other: Skill = { ...reading, name: 'breaking', allowedTools: ['look', 'break'] };
  const toolCalls = ['look', 'break'].map((name) => ({ name }));
  const model = createScriptedModel([
    { toolCalls: [activate('breaking'), activate('reading')] },
    { toolCalls },
    { text: 'ok' },
  ]);
  await new ReActAgent({ name: 'clerk', model, tools: office.tools, skills: [reading, other] }).run('go');
  assert.deepEqual(office.done, ['look']);
});

test('a misspelled skill name is answered with a suggestion', async () => {
  const model = createScriptedModel([{ toolCalls: [activate('readin')] }, { text: 'ok' }]);
  const result = await new ReActAgent({ name: 'clerk', model, skills: [reading] }).run('go');
  assert.match(JSON.stringify(result.messages), /Did you mean reading\?/);
});

test('a resumed run keeps the skill restrictions of its pause, even if the skill has changed', async () => {
  const office = createOffice();
  const model = createScriptedModel([
    { toolCalls: [activate('reading')] },
    { toolCalls: [{ name: 'ask_user', arguments: { question: 'Which?' } }, { name: 'look' }] },
    { toolCalls: [{ name: 'write' }] },
    { text: 'ok' },
  ]);
  const parts = { name: 'clerk', model, tools: [...office.tools, askUserTool], policy } as const;
  const paused = await new ReActAgent({ ...parts, skills: [reading] }).run('go');
  assert.ok(paused.paused !== undefined);
  const wider: Skill = { ...reading, allowedTools: ['look', 'write'] };
  const result = await new ReActAgent({ ...parts, skills: [wider] }).resume(paused.paused, 'this');
  assert.equal(result.status, 'completed');
  assert.deepEqual(office.done, ['look']);
  assert.match(model.requests[2]?.system ?? '', /## Skill: reading/);
  assert.deepEqual(pairingProblems(result.messages), []);
});

test('a skill of the pause ends with its deactivation after the resume, as it does after a crash', async () => {
  const office = createOffice();
  const deactivate = { name: 'deactivate_skill', arguments: { name: 'reading' } };
  const model = createScriptedModel([
    { toolCalls: [activate('reading')] },
    { toolCalls: [{ name: 'ask_user', arguments: { question: 'Which?' } }] },
    { toolCalls: [{ name: 'write' }] },
    { toolCalls: [deactivate] },
    { toolCalls: [{ name: 'write' }] },
    { text: 'ok' },
  ]);
  const parts = { name: 'clerk', model, tools: [...office.tools, askUserTool], policy, skills: [reading] } as const;
  const { paused } = await new ReActAgent(parts).run('go');
  assert.ok(paused !== undefined);
  const stored = JSON.parse(JSON.stringify(paused)) as typeof paused;
  const { trace } = await new ReActAgent(parts).resume(stored, 'this');
  assert.deepEqual(
    trace.map(({ tool, errorCode = 'ok' }) => `${tool} ${errorCode}`),
    ['write E_TOOL_NOT_ALLOWED', 'deactivate_skill ok', 'write ok'],
  );
  assert.deepEqual(office.done, ['write']);
});

test('a skill restricts a sub-agent that is already running, until the skill is deactivated', async () => {
  const office = createOffice();
  const called = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const go = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const helperTurns = createScriptedModel([
    ...[0, 1, 2].map((turn) => ({ toolCalls: [{ name: 'write', arguments: { n: turn } }] })),
    { text: 'helped' },
  ]);
  const helperModel: ModelProvider = {
    id: 'helper',
    async *stream(request, options) {
      const turn = helperTurns.requests.length;
      called[turn]?.resolve();
      await go[turn]?.promise;
      yield* helperTurns.stream(request, options);
    },
  };
  const helper = new ReActAgent({ name: 'helper', model: helperModel, tools: office.tools, policy });
  // Each response of the main agent comes after the calls of the sub-agent that it is to restrict or to allow.
  const mainTurns = createScriptedModel([
    { toolCalls: [{ name: 'helper', arguments: { task: 'help' } }] },
    { toolCalls: [activate('reading')] },
    { toolCalls: [{ name: 'deactivate_skill', arguments: { name: 'reading' } }] },
    { text: 'waiting' },
    { text: 'done' },
  ]);
  const model: ModelProvider = {
    id: 'main',
    async *stream(request, options) {
      const turn = mainTurns.requests.length;
      if (turn === 1 || turn === 2) {
        go[turn - 1]?.resolve();
        await called[turn]?.promise;
      }
      if (turn === 3) go[2]?.resolve();
      yield* mainTurns.stream(request, options);
    },
  };
  const tools = [...office.tools, createAgentTool(helper, { mode: 'background' })];
  const result = await new ReActAgent({ name: 'clerk', model, tools, policy, skills: [reading] }).run('go');
  assert.equal(result.status, 'completed');
  assert.deepEqual(office.done, ['write 0', 'write 2']);
});

test('tool hints are one line each, sorted by name, and info returns the documentation', async () => {
  const [look, write, pay] = createOffice().tools;
  assert.ok(look !== undefined && write !== undefined && pay !== undefined);
  const tools = [
    { ...write, promptHint: 'Write\n  with care.' },
    { ...look, promptHint: 'Look first.', documentation: () => 'All about looking.' },
    { ...pay, deferLoading: true },
    infoTool,
  ];
  const toolCalls = ['look', 'pay', 'lok'].map((tool) => ({ name: 'info', arguments: { tool } }));
  const model = createScriptedModel([{ toolCalls }, { text: 'ok' }]);
  const result = await new ReActAgent({ name: 'clerk', model, tools }).run('go');
  assert.equal(model.requests[0]?.system, '## Tool hints\n\n- look: Look first.\n- write: Write with care.');
  const texts = JSON.stringify(result.messages);
  assert.match(texts, /All about looking/);
  assert.match(texts, /Did you mean look\?/);
  const offered = model.requests.map((request) => request.tools.map((spec) => spec.name));
  assert.deepEqual(offered, [
    ['write', 'look', 'info'],
    ['write', 'look', 'pay', 'info'],
  ]);
});

test('an imposed skill holds from the first step, and the model cannot deactivate it', async () => {
  const office = createOffice();
  const model = createScriptedModel([
    { toolCalls: [{ name: 'write' }, { name: 'deactivate_skill', arguments: { name: 'reading' } }] },
    { toolCalls: [{ name: 'write' }, { name: 'look' }] },
    { text: 'ok' },
  ]);
  const options = { name: 'clerk', model, tools: office.tools, skills: [writing], imposedSkills: [reading], policy };
  const result = await new ReActAgent(options).run('go');
  assert.deepEqual(office.done, ['look']);
  const [first, , last] = model.requests.map(({ system }) => system);
  assert.match(first ?? '', /## Skill: reading\n\nLook twice\./);
  assert.doesNotMatch(first ?? '', /- reading:/);
  assert.equal(last, first);
  assert.equal(result.trace.find(({ tool }) => tool === 'deactivate_skill')?.errorCode, 'E_ARGUMENTS_INVALID');
});
