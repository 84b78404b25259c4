import assert from 'node:assert/strict';
import { memoryLimits } from '@ravi/kernel';
import type { Memory, MemoryStore, NewMemory } from '@ravi/kernel';
import { allPages, midnight, principals, rejectsWith } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const newMemory = (id: string, text: string, more: Partial<NewMemory> = {}): NewMemory => ({
  id,
  principal: 'ada',
  text,
  createdAt: midnight,
  ...more,
});

const textsOf = (found: readonly Memory[]): readonly string[] => found.map(({ text }) => text);

async function addAll(memories: MemoryStore, texts: readonly string[]): Promise<void> {
  for (const [index, text] of texts.entries()) await memories.add(newMemory(`memory-${index}`, text));
}

/** Text that is syntax in a query language of some database. */
const hostileQueries: readonly string[] = [
  '"',
  "'",
  '*',
  'tea*" OR "',
  "tea' OR '1'='1",
  'words : tea',
  '-tea',
  '^tea',
  'NEAR(tea green, 2)',
  'tea AND (green OR',
  'NOT tea',
  "'); DROP TABLE ravi_memories; --",
  'tea:*|green',
  '!tea & (',
  'tea <-> green',
  'tea\\',
  '{owner words} : tea',
  'owner : x677261636',
  '$1 $2 ?1',
  'tea\0green',
  '\ud800 tea',
  '%tea%',
];

/** Cases about memories. */
export function memoryCases({ needing, options: { reopen } }: StateStoreSuite): void {
  const scenario = needing('memories');

  scenario('a memory is read, listed and found as it was stored', async ({ memories }) => {
    const memory = newMemory('one', '漢字 \0 \u2028\nGrace likes green tea', { tags: ['Likes'], agent: 'host' });
    const stored = await memories.add(memory);
    assert.deepEqual(stored, { ...memory, number: stored.number });
    assert.deepEqual(await memories.get('ada', 'one'), stored);
    assert.deepEqual((await memories.list('ada')).items, [stored]);
    assert.deepEqual(await memories.search('ada', 'tea'), [stored]);
    assert.deepEqual(await memories.search('ada', 'likes'), [stored], 'by its tag');
    assert.equal(await memories.count('ada'), 1);
  });

  scenario('an id is stored once, also if another text comes under it', async ({ memories }) => {
    const first = await memories.add(newMemory('one', 'tea'));
    const added = await Promise.all(Array.from({ length: 8 }, () => memories.add(newMemory('one', 'coffee'))));
    assert.deepEqual(
      added,
      Array.from({ length: 8 }, () => first),
    );
    assert.equal(await memories.count('ada'), 1);
    assert.deepEqual(await memories.search('ada', 'coffee'), []);
  });

  scenario('any text may own memories, and each owner has its own only', async ({ memories }) => {
    for (const [index, principal] of principals.entries()) {
      await memories.add(newMemory('one', `tea ${index}`, { principal }));
    }
    for (const [index, principal] of principals.entries()) {
      const own = [`tea ${index}`];
      assert.deepEqual(textsOf(await memories.search(principal, 'tea')), own);
      assert.deepEqual(textsOf((await memories.list(principal)).items), own);
      assert.equal((await memories.get(principal, 'one'))?.text, own[0]);
    }
    assert.equal(await memories.clear('ada'), 1);
    assert.equal(await memories.delete('grace', 'one'), false);
    assert.equal((await memories.search('ADA', 'tea')).length, 1);
  });

  scenario('words match without case and accents, and longer ones as beginnings', async ({ memories }) => {
    await addAll(memories, ['The deployment needs a café', 'Straße in Zürich', 'go to the shop', '東京タワー', 'สวัสดี']);
    const found = async (query: string): Promise<readonly string[]> => textsOf(await memories.search('ada', query));
    for (const query of ['DEPLOYMENT', 'deploy', 'dep', 'Cafe', 'CAFÉ', 'a deploy?']) {
      assert.equal((await found(query))[0], 'The deployment needs a café', query);
    }
    assert.deepEqual(await found('zurich'), ['Straße in Zürich']);
    assert.deepEqual(await found('g'), [], 'one letter finds no beginning');
    assert.deepEqual(await found('go'), ['go to the shop']);
    assert.deepEqual(await found('東京'), ['東京タワー']);
    assert.deepEqual(await found('สวัสดี'), ['สวัสดี']);
    assert.deepEqual(await found('eployment'), []);
  });

  scenario('the best match is first: more words, rarer words, then the newest', async ({ memories }) => {
    await addAll(memories, [
      'the the the the the weather',
      'the dog of the user is called Rex',
      'the cat of the user is called Tom',
      'the dog has a bed',
      'the time zone is UTC',
      'same words',
      'same words',
    ]);
    const [best] = await memories.search('ada', 'what is the name of the dog of the user');
    assert.equal(best?.text, 'the dog of the user is called Rex');
    assert.equal((await memories.search('ada', 'the zone', { limit: 1 }))[0]?.text, 'the time zone is UTC');
    const same = await memories.search('ada', 'same');
    assert.deepEqual(
      same.map(({ id }) => id),
      ['memory-6', 'memory-5'],
    );
  });

  scenario('a query has no syntax: it raises nothing and finds words only', async ({ memories }) => {
    await memories.add(newMemory('one', 'green tea'));
    await memories.add(newMemory('secret', 'green tea of Grace', { principal: 'grace' }));
    for (const query of hostileQueries) {
      const found = await memories.search('ada', query);
      const isExpected = /tea|green/.test(query);
      assert.deepEqual(textsOf(found), isExpected ? ['green tea'] : [], JSON.stringify(query));
    }
    for (const text of hostileQueries) await memories.add(newMemory(`h${text.length}-${escape(text)}`, text));
    assert.equal(await memories.count('grace'), 1);
    assert.ok((await memories.search('ada', 'drop table')).length > 0, 'hostile text is stored as text');
  });

  scenario('a query without a word finds nothing, and a huge one is cut', async ({ memories }) => {
    await memories.add(newMemory('one', 'green tea'));
    for (const query of ['', ' ', '?!', '\u0301', '🍵']) assert.deepEqual(await memories.search('ada', query), []);
    const many = Array.from({ length: 100_000 }, (_, index) => `word${index}`).join(' ');
    assert.deepEqual(await memories.search('ada', many), []);
    assert.equal((await memories.search('ada', `tea ${many}`)).length, 1);
    assert.deepEqual(await memories.search('ada', 'tea'.repeat(100_000)), []);
  });

  scenario('texts, tags, ids and limits beyond the limits are refused', async ({ memories }) => {
    const { textBytes, tags, tagLength } = memoryLimits;
    const longest = 'é'.repeat(textBytes / 2);
    await memories.add(newMemory('longest', longest));
    await memories.add(newMemory('ligatures', '\ufdfa'.repeat(Math.floor(textBytes / 3))));
    await memories.add(newMemory('words', 'a '.repeat(textBytes / 2)));
    await memories.add(
      newMemory('tags', 'tagged', { tags: Array.from({ length: tags }, () => 't'.repeat(tagLength)) }),
    );
    const refused: readonly NewMemory[] = [
      newMemory('a', ''),
      newMemory('a', `${longest}x`),
      newMemory('a', 'text', { tags: Array.from({ length: tags + 1 }, () => 't') }),
      newMemory('a', 'text', { tags: ['t'.repeat(tagLength + 1)] }),
      newMemory('a', 'text', { tags: [''] }),
      newMemory('', 'text'),
      newMemory('a\nb', 'text'),
    ];
    for (const memory of refused)
      await rejectsWith(
        'E_STATE_INVALID',
        Promise.resolve().then(() => memories.add(memory)),
      );
    for (const limit of [0, -1, 1.5, NaN]) {
      await rejectsWith('E_STATE_INVALID', memories.search('ada', 'text', { limit }));
    }
    assert.equal(await memories.count('ada'), 4);
  });

  scenario('memories are removed one by one or all at once, and then not found', async ({ memories }) => {
    await addAll(memories, ['green tea', 'black tea', 'white tea']);
    assert.equal(await memories.delete('ada', 'memory-1'), true);
    assert.equal(await memories.delete('ada', 'memory-1'), false);
    assert.deepEqual(textsOf(await memories.search('ada', 'black')), []);
    assert.equal(await memories.clear('ada'), 2);
    assert.equal(await memories.clear('ada'), 0);
    assert.deepEqual(await memories.search('ada', 'tea'), []);
    const again = await memories.add(newMemory('memory-1', 'tea again'));
    assert.ok(again.number > 3, 'numbers are not used again');
  });

  scenario('memories are listed in pages, the newest first', async ({ memories }) => {
    await addAll(
      memories,
      Array.from({ length: 25 }, (_, index) => `text ${index}`),
    );
    const listed = await allPages((page) => memories.list('ada', page), 10);
    assert.deepEqual(
      textsOf(listed),
      Array.from({ length: 25 }, (_, index) => `text ${24 - index}`),
    );
    await rejectsWith('E_STATE_INVALID', memories.list('ada', { cursor: 'x' }));
  });

  if (reopen === undefined) return;
  scenario('memories outlive the process that stored them', async (store) => {
    const stored = await store.memories.add(newMemory('one', 'green tea'));
    await store[Symbol.asyncDispose]();
    await using again = await reopen(store);
    assert.deepEqual(await again.memories?.search('ada', 'tea'), [stored]);
  });
}

function escape(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
