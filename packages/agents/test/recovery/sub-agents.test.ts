import assert from 'node:assert/strict';
import { KernelError } from '@ravi/kernel';
import type { HistoryStore, JournalItem, Tool } from '@ravi/kernel';
import { createFakeClock, createScriptedModel, journalItems } from '@ravi/testkit';
import type { ScriptedTurn } from '@ravi/testkit';
import { test } from 'vitest';
import { createAgentTool, ReActAgent } from '../../src/index.ts';
import type { RecoverOptions } from '../../src/index.ts';
import { createWorld, deadAfterMs, start, where } from '../support/recovery-world.ts';
import type { RecoveryWorld } from '../support/recovery-world.ts';

const tokens = (inputTokens: number) => ({ inputTokens, outputTokens: 0 });

/** Returns the tool of a sub-agent whose model gives these responses. */
function helperOf({ office }: RecoveryWorld, turns: readonly ScriptedTurn[]): Tool {
  const policy = { maxRiskUnapproved: 'high' } as const;
  return createAgentTool(
    new ReActAgent({ name: 'helper', model: createScriptedModel(turns), tools: office.tools, policy }),
  );
}

/** Returns a journal that keeps the calls of each run apart: both models use the same ids for them. */
function recoveryOf({ journal }: RecoveryWorld): RecoverOptions {
  const isOf = (runId: string, item: JournalItem): boolean => item.type === 'call' && item.entry.runId === runId;
  return {
    journal: {
      entries: async (runId) => ({
        items: journalItems(journal).items.filter((each) => isOf(runId, each)),
        corrupt: [],
      }),
    },
  };
}

/** Starts a run whose process hangs for ever in a call of its sub-agent, like one that was killed. */
async function killDuringHelp(world: RecoveryWorld): Promise<void> {
  const help = { toolCalls: [{ name: 'helper', arguments: { task: 'help' } }], usage: tokens(30) };
  const helper = helperOf(world, [{ toolCalls: [{ name: 'hang' }], usage: tokens(100) }]);
  const first = world.process(createScriptedModel([help]), { tools: [helper], budget: { maxTokens: 10_000 } });
  void first.run('go', where);
  while (!world.office.done.includes('hang')) await new Promise(setImmediate);
}

test('the budget of a recovered run keeps what its resumed sub-agents spend', async () => {
  const world = createWorld();
  await killDuringHelp(world);
  const helper = helperOf(world, [{ text: 'helped', usage: tokens(300) }]);
  const model = createScriptedModel([{ text: 'done', usage: tokens(50) }]);
  const second = world.process(model, { tools: [helper], budget: { maxTokens: 10_000 } });
  const result = await second.recover(world.row(), recoveryOf(world)).result;
  assert.equal(result.text, 'done');
  const recorded = world.history.entries.filter(
    ({ sessionId, message }) => sessionId === where.sessionId && message.role === 'user',
  );
  const budget = recorded.at(-1)?.details?.['budget'] as { readonly spent: { readonly tokens: number } } | undefined;
  assert.equal(budget?.spent.tokens, 30 + 100 + 300);
});

test('a sub-agent that resumes while its store is unavailable waits for the store', async () => {
  const world = createWorld();
  await killDuringHelp(world);
  let failures = 3;
  const history: HistoryStore = {
    ...world.history,
    read(principal, sessionId, page) {
      if (sessionId !== where.sessionId && failures-- > 0) {
        throw new KernelError('E_STATE_UNAVAILABLE', 'The store is gone', { retryable: true });
      }
      return world.history.read(principal, sessionId, page);
    },
  };
  const clock = createFakeClock(start + deadAfterMs + 1);
  const helper = helperOf(world, [{ text: 'helped' }]);
  const model = createScriptedModel([{ text: 'done' }]);
  const recovering = world.process(model, { tools: [helper], history, clock }).recover(world.row(), recoveryOf(world));
  let isOver = false;
  const result = recovering.result.finally(() => (isOver = true));
  while (!isOver) {
    clock.advance(100);
    await new Promise(setImmediate);
  }
  const { status, messages } = await result;
  assert.equal(status, 'completed');
  assert.match(JSON.stringify(messages), /helped/);
  const child = [...world.runs.all.values()].find(({ parentRunId }) => parentRunId === where.runId);
  assert.equal(child?.status, 'completed');
});
