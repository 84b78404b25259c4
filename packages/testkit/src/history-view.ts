import assert from 'node:assert/strict';
import type { ContentBlock, HistoryView, ModelMessage } from '@ravi/kernel';
import { pairingProblems } from './model/pairing-problems.ts';
import { deepFreeze } from './suite/deep-freeze.ts';
import type { ContractTest } from './suite/contract-test.ts';

const text = (value: string): ContentBlock => ({ type: 'text', text: value });

/** Returns a conversation with `turns` turns, each with two calls and their results. */
function conversation(turns: number): readonly ModelMessage[] {
  const messages = Array.from({ length: turns }, (_, turn): readonly ModelMessage[] => {
    const ids = [`call-${turn}-1`, `call-${turn}-2`];
    const calls = ids.map((id): ContentBlock => ({ type: 'tool_use', id, name: 'read_file', arguments: { turn } }));
    const results = ids.map((callId): ContentBlock => {
      return { type: 'tool_result', toolUseId: callId, content: [text('x'.repeat(4_000))], isError: false };
    });
    return [
      { role: 'user', content: [text(`Question ${turn}`)] },
      { role: 'assistant', content: calls },
      { role: 'user', content: results },
      { role: 'assistant', content: [text(`Answer ${turn}`)] },
    ];
  });
  return deepFreeze([...messages.flat(), { role: 'user', content: [text('The last question')] }]);
}

/** Registers the suite of the port `historyView`. `create` makes a new one for each test. */
export function historyViewContract(test: ContractTest, create: () => HistoryView | Promise<HistoryView>): void {
  for (const turns of [0, 1, 40]) {
    test(`of ${turns} turns it shows a valid conversation that ends with the last message`, async () => {
      const view = await create();
      const messages = conversation(turns);
      const shown = await show(view, messages);
      assert.deepEqual(pairingProblems(shown), []);
      assert.deepEqual(shown.at(-1), messages.at(-1));
    });
  }

  test('the same conversation is shown in the same way, so that providers can cache it', async () => {
    const view = await create();
    const messages = conversation(40);
    assert.deepEqual(await show(view, messages), await show(view, messages));
  });

  test('a conversation that grows keeps a valid view at each length', async () => {
    const view = await create();
    const messages = conversation(12);
    for (let length = 1; length <= messages.length; length += 2) {
      assert.deepEqual(pairingProblems(await show(view, messages.slice(0, length))), [], `${length} messages`);
    }
  });

  test('two conversations do not mix', async () => {
    const view = await create();
    const other: readonly ModelMessage[] = [{ role: 'user', content: [text('Another conversation')] }];
    await show(view, conversation(40));
    assert.deepEqual(await show(view, other), other);
  });
}

async function show(view: HistoryView, messages: readonly ModelMessage[]): Promise<readonly ModelMessage[]> {
  return view.view(messages, { signal: new AbortController().signal });
}
