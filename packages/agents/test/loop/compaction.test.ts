import assert from 'node:assert/strict';
import { textOf } from '@ravi/kernel';
import type { ModelProvider, ModelRequest } from '@ravi/kernel';
import { createMemoryLogger, createScriptedModel, pairingProblems } from '@ravi/testkit';
import type { ScriptedTurn } from '@ravi/testkit';
import { test } from 'vitest';
import { createFailover, ReActAgent } from '../../src/index.ts';
import type { AgentOptions } from '../../src/index.ts';
import { createOffice } from '../support/office-tools.ts';

const long = 'word '.repeat(400);
const look = { text: long, toolCalls: [{ name: 'look' }] };
const tooLong = { code: 'E_MODEL_CONTEXT_EXCEEDED', message: 'too long', retryable: false };
const busy = { code: 'E_MODEL_OVERLOADED', message: 'busy', retryable: true };

function isSummary({ system = '' }: ModelRequest): boolean {
  return system.startsWith('You summarize');
}

/** Runs an agent with one tool on these responses. */
async function run(responses: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}) {
  const model = createScriptedModel(responses);
  const logger = createMemoryLogger();
  const parts = { name: 'clerk', tools: createOffice().tools, compaction: { maxTokens: 1_500 }, modelRetries: 0 };
  const result = await new ReActAgent({ ...parts, logger, model, ...options }).run('go');
  return { result, requests: model.requests, logger };
}

test('a summary that cannot be made leaves the request as it is, and the next step tries again', async () => {
  const { result, requests, logger } = await run([
    look,
    look,
    look,
    { error: busy },
    look,
    { text: 'what was done' },
    { text: 'done' },
  ]);
  assert.equal(result.status, 'completed', JSON.stringify(result.error));
  assert.deepEqual(
    requests.map((request) => (isSummary(request) ? 'summary' : request.messages.length)),
    [1, 3, 5, 'summary', 7, 'summary', 3],
  );
  assert.match(logger.messages('warn').join(), /could not be summarized/);
  const [first] = requests.at(-1)?.messages ?? [];
  assert.match(textOf(first?.content ?? []), /^Summary of the conversation so far:\nwhat was done$/);
  for (const { messages } of requests) assert.deepEqual(pairingProblems(messages), []);
});

test('a refused request whose summary fails, too, ends the run with both reasons', async () => {
  const { result } = await run([look, look, look, { error: tooLong }, { error: busy }], { compaction: {} });
  assert.equal(result.error?.code, 'E_MODEL_CONTEXT_EXCEEDED');
  assert.match(result.error?.message ?? '', /too long; the beginning .* could not be summarized: .*busy/);
});

test('a request that is refused again after a summary is not repeated, and a short one is not summarized', async () => {
  const again = await run([look, look, look, { error: tooLong }, { text: 'short' }, { error: tooLong }], {
    compaction: {},
  });
  assert.deepEqual([again.result.error?.code, again.requests.length], ['E_MODEL_CONTEXT_EXCEEDED', 6]);
  const first = await run([{ error: tooLong }], { compaction: {} });
  assert.deepEqual([first.result.error?.message, first.requests.length], ['too long', 1]);
});

test('a view that shortens the request makes a summary unnecessary, and acts on what follows one', async () => {
  const responses = [look, look, look, { text: 'done' }];
  const last = await run(responses, { view: { view: (messages) => messages.slice(-1) } });
  assert.ok(!last.requests.some(isSummary));
  const marked = await run([look, look, look, { text: 'the summary' }, { text: 'done' }], {
    view: {
      view: (messages) => [...messages, { role: 'user', content: [{ type: 'text', text: `${messages.length}` }] }],
    },
  });
  assert.match(JSON.stringify(marked.requests.at(-1)?.messages), /the summary.*"text":"[35]"/s);
});

test('a failover has the smallest context that is known, and a model of its own decides by its name', () => {
  const sized = (tokens: number | undefined): ModelProvider => ({
    ...createScriptedModel([]),
    contextTokens: () => tokens,
  });
  assert.equal(createFailover([sized(8_000), sized(undefined), sized(4_000)]).contextTokens?.(), 4_000);
  assert.equal(createFailover([sized(undefined), createScriptedModel([])]).contextTokens?.(), undefined);
});
