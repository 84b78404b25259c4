import assert from 'node:assert/strict';
import { defineTool, textOf } from '@ravi/kernel';
import type { ReconcileAnswer, Tool, ToolOutput } from '@ravi/kernel';
import { createScriptedModel } from '@ravi/testkit';
import { test } from 'vitest';
import { createWorld, where } from '../support/recovery-world.ts';

interface Payments {
  readonly tool: Tool;
  /** Executions and questions, in order. */
  readonly log: readonly string[];
}

/** A tool whose first execution never ends, like one of a process that is killed. */
function createPayments(answer: ReconcileAnswer<ToolOutput>): Payments {
  const log: string[] = [];
  const tool = defineTool({
    name: 'pay',
    description: 'Pays.',
    risk: 'high',
    inputSchema: { type: 'object', properties: { to: { type: 'string' } } },
    async execute({ to }, { idempotencyKey }) {
      log.push(`pay ${to} as ${idempotencyKey}`);
      return log.length === 1 ? new Promise<string>(() => {}) : 'paid';
    },
    reconcile({ to }, key) {
      log.push(`asked about ${to} as ${key}`);
      return answer;
    },
  });
  return { tool, log };
}

for (const [what, answer, told, more] of [
  ['took effect', { happened: true, result: 'found in the books' }, 'found in the books', []],
  ['did not take effect', { happened: false }, 'paid', ['pay ada as run_1:call-1-1']],
  ['may have taken effect', 'unknown', /outcome is unknown/, []],
] as const) {
  test(`the model of a recovered run gets the outcome of a call that ${what}, and the journal has one`, async () => {
    const world = createWorld();
    const { tool, log } = createPayments(answer);
    const parts = { tools: [tool], digestKey: new Uint8Array(32).fill(7) };
    const first = createScriptedModel([{ toolCalls: [{ name: 'pay', arguments: { to: 'ada' } }] }]);
    void world.process(first, parts).run('go', where);
    while (log.length === 0) await new Promise(setImmediate);
    const agent = world.process(createScriptedModel([{ text: 'done' }]), parts);
    const { status, messages } = await agent.recover(world.row(), world.recovery).result;
    assert.equal(status, 'completed');
    assert.deepEqual(log, ['pay ada as run_1:call-1-1', 'asked about ada as run_1:call-1-1', ...more]);
    const [result] = messages.flatMap(({ content }) => content.filter((block) => block.type === 'tool_result'));
    assert.match(textOf(result?.content ?? []), new RegExp(told));
    const ends = world.journal.writes.filter(({ kind }) => kind === 'finished');
    assert.deepEqual(
      ends.map(({ entry }) => [entry.attempt, entry.record.status]),
      [more.length === 1 ? [2, 'ok'] : [1, answer === 'unknown' ? 'unknown' : 'ok']],
    );
  });
}
