import assert from 'node:assert/strict';
import { defineTool } from '@ravi/kernel';
import type { ModelRequest, Skill, Tool } from '@ravi/kernel';
import { createScriptedModel, pairingProblems, settle } from '@ravi/testkit';
import type { ScriptedTurn } from '@ravi/testkit';
import { test } from 'vitest';
import { createGuardrail, defineStatefulTool, ReActAgent } from '../../src/index.ts';
import type { AgentMiddleware, AgentOptions } from '../../src/index.ts';
import { createOffice } from '../support/office-tools.ts';

const error = { code: 'E_MODEL_OVERLOADED', message: 'busy', retryable: true };
const reading: Skill = {
  name: 'reading',
  description: 'How to read.',
  instructions: 'Look twice.',
  allowedTools: ['look'],
  version: '1.0.0',
};
const skillCall = (
  verb: 'activate' | 'deactivate',
): { readonly name: string; readonly arguments: { name: string } } => ({
  name: `${verb}_skill`,
  arguments: { name: 'reading' },
});

/** An agent whose tool `build` is a job that ends when the test says so. */
function createBuilder(turns: (jobId: (request: ModelRequest) => string) => readonly BuilderTurn[]): {
  readonly agent: ReActAgent;
  readonly finish: (text: string) => void;
  readonly wasStopped: () => boolean;
} {
  const done = Promise.withResolvers<string>();
  let signal: AbortSignal | undefined;
  const build: Tool = defineTool({
    name: 'build',
    description: 'Builds',
    mode: 'background',
    inputSchema: { type: 'object' },
    execute: (_, context) => {
      signal = context.signal;
      return done.promise;
    },
  });
  const model = createScriptedModel(turns(({ messages }) => /job_[\w-]+/.exec(JSON.stringify(messages))?.[0] ?? ''));
  const agent = new ReActAgent({ name: 'clerk', model, tools: [build] });
  return { agent, finish: done.resolve, wasStopped: () => signal?.aborted === true };
}

type BuilderTurn = ScriptedTurn | ((request: ModelRequest) => ScriptedTurn);

function clerk(turns: readonly ScriptedTurn[], more: Partial<AgentOptions> = {}): ReActAgent {
  const policy = { maxRiskUnapproved: 'high' } as const;
  return new ReActAgent({ name: 'clerk', model: createScriptedModel(turns), policy, ...more });
}

test('a job result that a discarded response has read is still sent to the model', async () => {
  const { agent, finish } = createBuilder((jobId) => [
    { toolCalls: [{ name: 'build' }] },
    (request) => {
      finish('42 files');
      return { toolCalls: [{ name: 'read_job', arguments: { id: jobId(request) } }], error };
    },
    { text: 'Wait' },
    { text: 'ok' },
  ]);
  const { status, messages } = await agent.run('go');
  assert.equal(status, 'completed');
  assert.match(JSON.stringify(messages), /42 files/);
  assert.deepEqual(pairingProblems(messages), []);
});

test('a discarded response does not stop jobs', async () => {
  const { agent, finish, wasStopped } = createBuilder((jobId) => [
    { toolCalls: [{ name: 'build' }] },
    (request) => ({ toolCalls: [{ name: 'stop_job', arguments: { id: jobId(request) } }], error }),
    { text: 'Wait' },
    { text: 'ok' },
  ]);
  const running = agent.run('go');
  await settle();
  assert.equal(wasStopped(), false);
  finish('42 files');
  assert.match(JSON.stringify((await running).messages), /42 files/);
});

test('a discarded response neither activates nor deactivates skills', async () => {
  const office = createOffice();
  const turns = [
    { toolCalls: [skillCall('activate')] },
    { toolCalls: [skillCall('deactivate')], error },
    { toolCalls: [{ name: 'write' }] },
    { text: 'ok' },
  ];
  const result = await clerk(turns, { tools: office.tools, skills: [reading] }).run('go');
  assert.deepEqual(office.done, []);
  assert.equal(result.trace.find(({ tool }) => tool === 'write')?.errorCode, 'E_TOOL_NOT_ALLOWED');
});

test('calls after one that changes the run see the change', async () => {
  const office = createOffice();
  const turns = [
    { toolCalls: [skillCall('activate'), { name: 'break' }] },
    { toolCalls: [skillCall('deactivate'), { name: 'break' }] },
    { text: 'ok' },
  ];
  const result = await clerk(turns, { tools: office.tools, skills: [reading] }).run('go');
  assert.deepEqual(office.done, ['break']);
  assert.deepEqual(
    result.trace.filter(({ tool }) => tool === 'break').map(({ errorCode }) => errorCode),
    ['E_TOOL_NOT_ALLOWED', 'E_TOOL_FAILED'],
  );
});

test('a discarded response neither starts nor continues a stateful call', async () => {
  let parts = 0;
  const tools = defineStatefulTool({
    name: 'quiz',
    description: 'Asks.',
    risk: 'safe',
    inputSchema: { type: 'object' },
    async *execute() {
      for (;;) yield ++parts;
    },
  });
  const idIn = ({ messages }: ModelRequest): string => /quiz_[\w]{8}[\w-]+/.exec(JSON.stringify(messages))?.[0] ?? '';
  const goOn = (request: ModelRequest): ScriptedTurn => ({
    toolCalls: [{ name: 'quiz_continue', arguments: { id: idIn(request) } }],
  });
  const start = { toolCalls: [{ name: 'quiz' }] };
  const model = createScriptedModel([
    { ...start, error },
    start,
    (request) => ({ ...goOn(request), error }),
    goOn,
    { text: 'ok' },
  ]);
  assert.equal((await new ReActAgent({ name: 'clerk', model, tools }).run('go')).status, 'completed');
  assert.equal(parts, 2);
});

test('middleware cannot change calls of a discarded response into others that run', async () => {
  const office = createOffice();
  const toolCalls = [{ name: 'look' }];
  const renaming: AgentMiddleware = { tool: (call, next) => next({ ...call, name: 'write' }) };
  const turns = [{ toolCalls, error }, { toolCalls }, { text: 'ok' }];
  await clerk(turns, { tools: office.tools, middleware: [{}, renaming] }).run('go');
  assert.deepEqual(office.done, ['write']);
});

test('a guardrail without a call check does not delay calls', async () => {
  const office = createOffice();
  const toolCalls = [{ name: 'look' }];
  const turns = [{ toolCalls, error }, { toolCalls }, { text: 'ok' }];
  const middleware = [createGuardrail({ name: 'words', output: () => undefined })];
  await clerk(turns, { tools: office.tools, middleware }).run('go');
  assert.deepEqual(office.done, ['look', 'look']);
});
