import assert from 'node:assert/strict';
import type { NewTurn } from '@ravi/kernel';
import { allPages, midnight, principals, rejectsWith, whole } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

function turn(text: string, overrides: Partial<NewTurn> = {}): NewTurn {
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
  scenario('turns are read oldest first as they happened, numbered from 1', async ({ history }) => {
    const first = turn('hello \u0000 漢字', { runId: 'run-1', details: { inputTokens: 3 } });
    assert.deepEqual(await history.append([first]), [{ ...first, number: 1 }]);
    await history.append([turn('two'), turn('three')]);
    assert.deepEqual(await history.append([]), []);
    const read = whole(await history.read('ada', 'session-1'));
    assert.deepEqual(read, [
      { ...first, number: 1 },
      { ...turn('two'), number: 2 },
      { ...turn('three'), number: 3 },
    ]);
    assert.deepEqual(whole(await history.read('ada', 'session-2')), []);
  });

  scenario('a long conversation is read in parts, and what is added comes at the end', async ({ history }) => {
    for (let number = 1; number <= 12; number++) await history.append([turn(String(number))]);
    const numbers = (await allPages((page) => history.read('ada', 'session-1', page), 5)).map(({ number }) => number);
    assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    const first = await history.read('ada', 'session-1', { limit: 10 });
    await history.append([turn('13')]);
    const rest = await history.read('ada', 'session-1', first.next === undefined ? {} : { cursor: first.next });
    assert.deepEqual(
      whole(rest).map(({ number }) => number),
      [11, 12, 13],
    );
  });

  scenario('a session of another principal is another conversation, for any text as principal', async ({ history }) => {
    for (const principal of principals) await history.append([turn(principal, { principal })]);
    for (const principal of principals) {
      assert.deepEqual(whole(await history.read(principal, 'session-1')), [
        { ...turn(principal, { principal }), number: 1 },
      ]);
    }
  });

  scenario('turns that are added at once all come, each addition in one piece', async ({ history }) => {
    const pairs = Array.from({ length: 20 }, (_, index) => [turn(`${index} a`), turn(`${index} b`)]);
    await Promise.all(pairs.map((pair) => history.append(pair)));
    const turns = whole(await history.read('ada', 'session-1'));
    assert.deepEqual(
      turns.map(({ number }) => number),
      Array.from({ length: 40 }, (_, index) => index + 1),
    );
    const texts = turns.map(({ message }) => message.content[0]?.type === 'text' && message.content[0].text);
    for (let index = 0; index < texts.length; index += 2) {
      assert.equal(String(texts[index]).replace('a', 'b'), texts[index + 1]);
    }
  });

  scenario('who expects another length adds nothing', async ({ history }) => {
    await history.append([turn('one')], 0);
    await rejectsWith('E_STATE_CONFLICT', history.append([turn('two')], 0));
    const both = await Promise.allSettled([history.append([turn('two')], 1), history.append([turn('two')], 1)]);
    assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    assert.equal(whole(await history.read('ada', 'session-1')).length, 2);
  });

  scenario('turns of two conversations are not added together', async ({ history }) => {
    const mixed = [turn('one'), turn('two', { sessionId: 'session-2' })];
    await rejectsWith('E_STATE_INVALID', history.append(mixed));
    await rejectsWith('E_STATE_INVALID', history.append([turn('one'), turn('two', { principal: 'bob' })]));
    assert.deepEqual(whole(await history.read('ada', 'session-1')), []);
  });
}
