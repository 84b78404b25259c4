import assert from 'node:assert/strict';
import { channelLimits } from '@ravi/kernel';
import type { ChannelMessage, ChannelPlace, ChannelStore, JsonValue, NewChannelMessage } from '@ravi/kernel';
import { midnight, principals, rejectsWith, whole } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const news: ChannelPlace = { channel: 'news', principal: 'ada' };

const newMessage = (id: string, message: JsonValue = id, sentAt = midnight): NewChannelMessage => ({
  id,
  from: 'host',
  principal: 'ada',
  message,
  sentAt,
});

const bodiesOf = (messages: readonly ChannelMessage[]): readonly JsonValue[] => messages.map(({ message }) => message);

async function bodies(channels: ChannelStore, place: ChannelPlace = news): Promise<readonly JsonValue[]> {
  return bodiesOf(whole(await channels.read(place)));
}

async function taken(channels: ChannelStore, reader: string, key: string, limit = 100): Promise<readonly JsonValue[]> {
  return bodiesOf(whole(await channels.take(news, { reader, key, limit })));
}

async function send(channels: ChannelStore, ids: readonly string[], place: ChannelPlace = news): Promise<void> {
  for (const id of ids) await channels.append(place, newMessage(id));
}

/** Cases about stored channels. */
export function channelCases({ needing, options: { reopen } }: StateStoreSuite): void {
  const scenario = needing('channels');

  scenario('messages are read as they were sent, in their order', async ({ channels }) => {
    const all: readonly JsonValue[] = ['漢字 \0 \u2028', { a: [null, 1.5, false] }, null, 0, '', [], {}];
    const sent: ChannelMessage[] = [];
    for (const [index, message] of all.entries())
      sent.push(await channels.append(news, newMessage(`m${index}`, message)));
    assert.deepEqual(whole(await channels.read(news)), sent);
    assert.deepEqual(bodiesOf(sent), all);
    for (const [index, { number }] of sent.entries())
      assert.ok(index === 0 || number > (sent[index - 1]?.number ?? NaN));
    assert.deepEqual(whole(await channels.read(news, { after: sent[2]?.number ?? 0, limit: 2 })), sent.slice(3, 5));
    assert.deepEqual(whole(await channels.read(news, { limit: 2, newest: true })), sent.slice(-2));
    assert.deepEqual(whole(await channels.read({ ...news, channel: 'other' })), []);
  });

  scenario('a message that is sent again under its id is stored once', async ({ channels }) => {
    const first = await channels.append(news, newMessage('one', 'first'));
    const again = Array.from({ length: 8 }, () => channels.append(news, newMessage('one', 'second')));
    assert.deepEqual(
      await Promise.all(again),
      Array.from({ length: 8 }, () => first),
    );
    const elsewhere = await channels.append({ ...news, channel: 'other' }, newMessage('one', 'second'));
    assert.equal(elsewhere.message, 'second');
    assert.deepEqual(await bodies(channels), ['first']);
    assert.equal((await channels.list(news))[0]?.messages, 1);
  });

  scenario('any text may own channels, and a shared one is apart from them all', async ({ channels }) => {
    for (const [index, principal] of principals.entries()) {
      await channels.append({ ...news, principal }, newMessage('one', index));
    }
    await channels.append({ ...news, isShared: true }, newMessage('one', 'shared'));
    for (const [index, principal] of principals.entries()) {
      assert.deepEqual(await bodies(channels, { ...news, principal }), [index]);
      assert.deepEqual(await bodies(channels, { ...news, principal, isShared: true }), ['shared']);
      const [entry, ...others] = await channels.list({ principal });
      assert.deepEqual([entry?.channel, entry?.isShared, others.length], ['news', false, 0]);
    }
    assert.equal((await channels.list({ principal: 'zoe', isShared: true }))[0]?.isShared, true);
    assert.deepEqual(await channels.list({ principal: 'zoe' }), []);
    assert.equal(await channels.delete({ ...news, principal: 'zoe' }), false);
    assert.deepEqual(await bodies(channels), [2]);
  });

  scenario('each reader has a position, which each reading moves', async ({ channels }) => {
    assert.deepEqual(await taken(channels, 'one', 'k0'), []);
    await send(channels, ['a', 'b', 'c']);
    assert.deepEqual(await taken(channels, 'one', 'k1', 2), ['a', 'b']);
    assert.deepEqual(await taken(channels, 'one', 'k2'), ['c']);
    assert.deepEqual(await taken(channels, 'one', 'k3'), []);
    assert.deepEqual(await taken(channels, 'two', 'k1'), ['a', 'b', 'c']);
    await send(channels, ['d']);
    assert.deepEqual(await taken(channels, 'one', 'k4'), ['d']);
    assert.deepEqual(await taken(channels, 'two', 'k4'), ['d']);
    assert.deepEqual(await bodies(channels), ['a', 'b', 'c', 'd'], 'a reading removes nothing');
  });

  scenario('a reading that is made again gets the same messages', async ({ channels }) => {
    await send(channels, ['a', 'b']);
    assert.deepEqual(await taken(channels, 'one', 'k1', 1), ['a']);
    await send(channels, ['c']);
    assert.deepEqual(await taken(channels, 'one', 'k1'), ['a']);
    assert.deepEqual(await taken(channels, 'one', 'k2'), ['b', 'c']);
    assert.deepEqual(await taken(channels, 'one', 'k1'), ['a'], 'also after a later one');
    assert.deepEqual(await taken(channels, 'one', 'k2'), ['b', 'c']);
  });

  scenario('readings at once never get a message twice', async ({ channels }) => {
    const ids = Array.from({ length: 40 }, (_, index) => `m${index}`);
    await Promise.all(ids.map((id) => channels.append(news, newMessage(id))));
    const readings = await Promise.all(ids.map((id) => taken(channels, 'one', id, 3)));
    const all = readings.flat();
    assert.equal(new Set(all).size, all.length);
    assert.equal(all.length, ids.length);
  });

  scenario('what is read while others send misses nothing', async ({ channels }) => {
    const ids = Array.from({ length: 60 }, (_, index) => `m${index}`);
    const sending = Promise.all(ids.map((id) => channels.append(news, newMessage(id))));
    const seen: JsonValue[] = [];
    for (let after = 0; seen.length < ids.length;) {
      const messages = whole(await channels.read(news, { after, limit: 7 }));
      seen.push(...bodiesOf(messages));
      after = messages.at(-1)?.number ?? after;
    }
    await sending;
    assert.deepEqual(new Set(seen), new Set(ids));
    assert.deepEqual(seen, await bodies(channels));
  });

  scenario('a channel keeps its newest messages', async ({ channels }) => {
    for (let index = 0; index < 10; index++) await channels.append(news, newMessage(`m${index}`), { keep: 4 });
    assert.deepEqual(await bodies(channels), ['m6', 'm7', 'm8', 'm9']);
    const [entry] = await channels.list(news);
    assert.equal(entry?.messages, 4);
    assert.equal(entry.lastNumber, whole(await channels.read(news)).at(-1)?.number);
    assert.deepEqual(await taken(channels, 'late', 'k1'), ['m6', 'm7', 'm8', 'm9']);
    for (const keep of [0, -1, 1.5, NaN, 100_001]) {
      await rejectsWith(
        'E_STATE_INVALID',
        later(() => channels.append(news, newMessage('x'), { keep })),
      );
    }
  });

  scenario('a channel that was deleted begins again with greater numbers', async ({ channels }) => {
    const { number } = await channels.append(news, newMessage('a'));
    assert.deepEqual(await taken(channels, 'one', 'k1'), ['a']);
    assert.equal(await channels.delete(news), true);
    assert.equal(await channels.delete(news), false);
    assert.deepEqual(await channels.list(news), []);
    assert.deepEqual(await taken(channels, 'one', 'k1'), []);
    const again = await channels.append(news, newMessage('a', 'again'));
    assert.ok(again.number > number);
    assert.deepEqual(await taken(channels, 'one', 'k2'), ['again']);
  });

  scenario('messages of before a time are removed, and channels without others', async ({ channels }) => {
    await channels.append(news, newMessage('old', 'old', midnight));
    await channels.append(news, newMessage('new', 'new', midnight + 10));
    await channels.append({ ...news, channel: 'quiet' }, newMessage('old'));
    await channels.append({ ...news, isShared: true }, newMessage('old'));
    assert.equal(await channels.removeBefore(midnight + 10), 3);
    assert.equal(await channels.removeBefore(midnight + 10), 0);
    const listed = await channels.list(news);
    assert.deepEqual(
      listed.map(({ channel, messages }) => [channel, messages]),
      [['news', 1]],
    );
    assert.deepEqual(await channels.list({ ...news, isShared: true }), []);
  });

  scenario('names, messages and limits beyond the limits are refused', async ({ channels }) => {
    const longest = 'x'.repeat(channelLimits.messageBytes - 2);
    await channels.append({ ...news, channel: 'N'.repeat(100) }, newMessage('longest', longest));
    await rejectsWith(
      'E_STATE_INVALID',
      later(() => channels.append(news, newMessage('a', `${longest}x`))),
    );
    for (const channel of ['', 'a b', '../etc', '-a', 'N'.repeat(101), 'a\0', 'ä', '漢']) {
      const place = { ...news, channel };
      await rejectsWith(
        'E_STATE_INVALID',
        later(() => channels.append(place, newMessage('a'))),
      );
      assert.deepEqual(whole(await channels.read(place)), []);
      assert.deepEqual(whole(await channels.take(place, { reader: 'one', key: 'k' })), []);
      assert.equal(await channels.delete(place), false);
    }
    for (const wrong of [{ id: '' }, { id: 'a\n' }, { from: '' }, { from: 'x'.repeat(201) }, { message: undefined }]) {
      const message = { ...newMessage('a'), ...wrong } as NewChannelMessage;
      await rejectsWith(
        'E_STATE_INVALID',
        later(() => channels.append(news, message)),
      );
    }
    for (const limit of [0, -1, 1.5]) {
      await rejectsWith('E_STATE_INVALID', channels.read(news, { limit }));
      await rejectsWith('E_STATE_INVALID', channels.take(news, { reader: 'one', key: 'k', limit }));
    }
    for (const reader of ['', 'a\n', 'x'.repeat(201)]) {
      await rejectsWith('E_STATE_INVALID', channels.take(news, { reader, key: 'k' }));
    }
  });

  scenario('an owner has a limited number of channels', async ({ channels }) => {
    const { perOwner } = channelLimits;
    for (let index = 0; index < perOwner; index++) await send(channels, ['a'], { ...news, channel: `c${index}` });
    await rejectsWith('E_BUDGET_EXHAUSTED', channels.append(news, newMessage('a')));
    await send(channels, ['b'], { ...news, channel: 'c0' });
    await send(channels, ['a'], { ...news, principal: 'grace' });
    assert.equal((await channels.list(news)).length, perOwner);
  });

  if (reopen === undefined) return;
  scenario('messages and positions outlive the process', async (store) => {
    await send(store.channels, ['a', 'b']);
    assert.deepEqual(await taken(store.channels, 'one', 'k1', 1), ['a']);
    await store[Symbol.asyncDispose]();
    await using again = await reopen(store);
    assert.ok(again.channels);
    assert.deepEqual(await taken(again.channels, 'one', 'k2'), ['b']);
    assert.deepEqual(await taken(again.channels, 'one', 'k1'), ['a']);
  });
}

// A method may throw at once.
function later<Result>(action: () => Promise<Result>): Promise<Result> {
  return Promise.resolve().then(action);
}
