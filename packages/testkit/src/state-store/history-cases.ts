import assert from 'node:assert/strict';
import type { NewHistoryEntry } from '@ravi/kernel';
import { allPages, midnight, principals, rejectsWith, whole } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

function entry(text: string, overrides: Partial<NewHistoryEntry> = {}): NewHistoryEntry {
  return {
    principal: 'ada',
    sessionId: 'session-1',
    message: { role: 'user', content: [{ type: 'text', text }] },
    createdAt: midnight,
    ...overrides,
  };
}

/** Cases about conversations. */
export function historyCases({ needing }: StateStoreSuite): void {
  const scenario = needing('history');
  scenario('entries are read oldest first as they happened, numbered from 1', async ({ history }) => {
    const first = entry('hello \u0000 漢字', { runId: 'run-1', details: { inputTokens: 3 } });
    assert.deepEqual(await history.append([first]), [{ ...first, number: 1 }]);
    await history.append([entry('two'), entry('three')]);
    assert.deepEqual(await history.append([]), []);
    const read = whole(await history.read('ada', 'session-1'));
    assert.deepEqual(read, [
      { ...first, number: 1 },
      { ...entry('two'), number: 2 },
      { ...entry('three'), number: 3 },
    ]);
    assert.deepEqual(whole(await history.read('ada', 'session-2')), []);
  });

  scenario('a long conversation is read in parts, and what is added comes at the end', async ({ history }) => {
    for (let number = 1; number <= 12; number++) await history.append([entry(String(number))]);
    const numbers = (await allPages((page) => history.read('ada', 'session-1', page), 5)).map(({ number }) => number);
    assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    const first = await history.read('ada', 'session-1', { limit: 10 });
    await history.append([entry('13')]);
    const rest = await history.read('ada', 'session-1', first.next === undefined ? {} : { cursor: first.next });
    assert.deepEqual(
      whole(rest).map(({ number }) => number),
      [11, 12, 13],
    );
  });

  scenario('a session of another principal is another conversation, for any text as principal', async ({ history }) => {
    for (const principal of principals) await history.append([entry(principal, { principal })]);
    for (const principal of principals) {
      assert.deepEqual(whole(await history.read(principal, 'session-1')), [
        { ...entry(principal, { principal }), number: 1 },
      ]);
    }
  });

  scenario('entries that are added at once all come, each addition in one piece', async ({ history }) => {
    const pairs = Array.from({ length: 20 }, (_, index) => [entry(`${index} a`), entry(`${index} b`)]);
    await Promise.all(pairs.map((pair) => history.append(pair)));
    const entries = whole(await history.read('ada', 'session-1'));
    assert.deepEqual(
      entries.map(({ number }) => number),
      Array.from({ length: 40 }, (_, index) => index + 1),
    );
    const texts = entries.map(({ message }) => message.content[0]?.type === 'text' && message.content[0].text);
    for (let index = 0; index < texts.length; index += 2) {
      assert.equal(String(texts[index]).replace('a', 'b'), texts[index + 1]);
    }
  });

  scenario('who expects another length adds nothing', async ({ history }) => {
    await history.append([entry('one')], 0);
    await rejectsWith('E_STATE_CONFLICT', history.append([entry('two')], 0));
    const both = await Promise.allSettled([history.append([entry('two')], 1), history.append([entry('two')], 1)]);
    assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    assert.equal(whole(await history.read('ada', 'session-1')).length, 2);
  });

  scenario('entries of two conversations are not added together', async ({ history }) => {
    const mixed = [entry('one'), entry('two', { sessionId: 'session-2' })];
    await rejectsWith('E_STATE_INVALID', history.append(mixed));
    await rejectsWith('E_STATE_INVALID', history.append([entry('one'), entry('two', { principal: 'bob' })]));
    assert.deepEqual(whole(await history.read('ada', 'session-1')), []);
  });
}
