import assert from 'node:assert/strict';
import {
  createFakeClock,
  createScriptedModel,
  createSeededRandom,
  createTestApprovals,
  pairingProblems,
  settle,
} from '@ravi/testkit';
import type { ScriptedToolCall, ScriptedTurn, SeededRandom } from '@ravi/testkit';
import { test } from 'vitest';
import { Conversation } from '../../src/conversation/conversation.ts';
import { askUserTool, createFailover, ReActAgent } from '../../src/index.ts';
import type { AgentOptions } from '../../src/index.ts';
import { createTestHistory } from '../support/memory-state.ts';
import { createOffice } from '../support/office-tools.ts';

const runs = 100;

test(`${runs} generated tasks end, execute no truncated call, and leave histories that obey the pairing rules`, async () => {
  for (let seed = 1; seed <= runs; seed++) await runGenerated(seed);
});

async function runGenerated(seed: number): Promise<void> {
  const random = createSeededRandom(seed);
  const office = createOffice();
  const clock = createFakeClock();
  const history = createTestHistory();
  const controller = new AbortController();
  const agent = new ReActAgent({
    name: 'clerk',
    model: createFailover([generatedModel(random, 'a'), generatedModel(random, 'b')], { clock }),
    tools: [...office.tools, askUserTool],
    approvalHandler: createTestApprovals(async () => ({ decision: random.pick(['approved', 'denied', 'skipped']) })),
    policy: { maxRiskUnapproved: random.pick(['safe', 'high']), maxToolCalls: 1 + random.below(20) },
    history,
    clock,
    maxSteps: 1 + random.below(8),
    modelRetries: random.below(3),
    ...generatedBounds(random),
  });
  const running = agent.run('go', { sessionId: 's', signal: controller.signal });
  let isOver = false;
  void running.then(() => (isOver = true));
  const abortAt = random.below(40);
  for (let turn = 0; !isOver; turn++) {
    assert.ok(turn < 1_000, `seed ${seed} does not end`);
    if (turn === abortAt) controller.abort();
    await settle();
    clock.advance(10_000);
  }
  const result = await running;
  const openCalls = result.paused?.questions.map((question) => question.callId) ?? [];
  const stored = new Conversation([], { store: history, principal: 'local', sessionId: 's' });
  await stored.load();
  assert.deepEqual(pairingProblems(result.messages, { openCalls }), [], `seed ${seed}`);
  assert.deepEqual(stored.messages, result.messages, `seed ${seed}`);
  // Only a complete call has a number.
  assert.ok(
    office.done.every((done) => /\d$/.test(done)),
    `seed ${seed} executed a call that was cut off`,
  );
  clock.advance(600_000); // the invoker keeps one armed for each kind of limit, which then finds nothing to do
  assert.equal(clock.pendingTimers, 0, `seed ${seed} left timers`);
}

function generatedModel(random: SeededRandom, id: string): ReturnType<typeof createScriptedModel> {
  return createScriptedModel(
    Array.from({ length: 12 }, () => generatedTurn(random)),
    { id },
  );
}

function generatedTurn(random: SeededRandom): ScriptedTurn {
  const calls = Array.from({ length: random.below(5) }, () => generatedCall(random));
  const failure = { code: 'E_MODEL_UNAVAILABLE', message: 'gone', retryable: random.below(3) > 0 };
  return {
    ...(random.below(2) === 0 ? { reasoning: 'Let me think' } : {}),
    ...(random.below(2) === 0 ? { text: 'Here is what I do' } : {}),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(random.below(6) === 0 ? { error: failure } : {}),
    ...(random.below(10) === 0 ? { reason: random.pick(['length', 'pause', 'refusal', 'other', 'end']) } : {}),
  };
}

function generatedCall(random: SeededRandom): ScriptedToolCall {
  const name = random.pick(['look', 'look', 'write', 'pay', 'hang', 'break', 'ask_user', 'unknown']);
  const id = random.below(4) === 0 ? { id: random.pick(['', 'x', 'y', 'call-1-1']) } : {};
  if (random.below(8) === 0) return { name, ...id, invalid: { reason: 'truncated', text: '{"n": "cut off' } };
  return { name, ...id, arguments: name === 'ask_user' ? { question: 'Which?' } : { n: random.below(9) } };
}

function generatedBounds(random: SeededRandom): Partial<AgentOptions> {
  const budget = random.pick([
    {},
    { maxToolCalls: random.below(6) },
    { maxTimeMs: 1 + random.below(100_000) },
    { maxTokens: 2_500 },
  ]);
  return random.below(2) === 0 ? { budget } : { promoteAfterMs: 1 + random.below(30_000) };
}
