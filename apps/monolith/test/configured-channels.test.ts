import assert from 'node:assert/strict';
import { silentLogger } from '@ravi/kernel';
import type { ChannelPlace, NewChannelMessage } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { createFakeClock } from '@ravi/testkit';
import { test } from 'vitest';
import { configuredChannels } from '../src/channels/configured-channels.ts';
import { startMessageRemoval } from '../src/maintenance/message-removal.ts';

const settings = { shared: ['news', 'team-*'], keepMessages: 3 };
const messageOf = (id: string, sentAt = 1): NewChannelMessage => ({
  id,
  from: 'host',
  principal: 'ada',
  message: id,
  sentAt,
});

test('a configured name is one channel for all principals, and every other name one for each', async () => {
  await using store = await createSqliteStateStore({ file: ':memory:' });
  const channels = configuredChannels(store.channels, settings);
  const places: readonly ChannelPlace[] = ['news', 'team-a', 'own'].map((channel) => ({ channel, principal: 'ada' }));
  for (const place of places) await channels.append(place, messageOf('a'));
  for (const [index, place] of places.entries()) {
    const { items } = await channels.read({ ...place, principal: 'grace' });
    assert.equal(items.length, index < 2 ? 1 : 0, place.channel);
    // The configuration decides, and not the caller.
    assert.equal((await channels.read({ ...place, isShared: index === 2 })).items.length, 1);
  }
  const listed = async (principal: string): Promise<unknown> =>
    (await channels.list({ principal })).map(({ channel, isShared }) => [channel, isShared]);
  assert.deepEqual(await listed('ada'), [
    ['news', true],
    ['own', false],
    ['team-a', true],
  ]);
  assert.deepEqual(await listed('grace'), [
    ['news', true],
    ['team-a', true],
  ]);
});

test('a channel that was private before its name was shared is not listed, and nothing in it is shared', async () => {
  await using store = await createSqliteStateStore({ file: ':memory:' });
  await store.channels.append({ channel: 'news', principal: 'ada' }, messageOf('private'));
  const channels = configuredChannels(store.channels, settings);
  assert.deepEqual(await channels.list({ principal: 'ada' }), []);
  assert.deepEqual((await channels.read({ channel: 'news', principal: 'ada' })).items, []);
});

test('a channel keeps as many messages as the configuration says, and none beyond the age', async () => {
  await using store = await createSqliteStateStore({ file: ':memory:' });
  const channels = configuredChannels(store.channels, settings);
  const place = { channel: 'own', principal: 'ada' };
  const dayMs = 86_400_000;
  for (let day = 1; day <= 5; day++) await channels.append(place, messageOf(`day ${day}`, day * dayMs));
  const kept = async (): Promise<unknown> => (await channels.read(place)).items.map(({ message }) => message);
  assert.deepEqual(await kept(), ['day 3', 'day 4', 'day 5']);
  const clock = createFakeClock(6 * dayMs);
  await using removal = startMessageRemoval({ channels, maxAgeDays: 2, clock, logger: silentLogger });
  await removal.first;
  assert.deepEqual(await kept(), ['day 4', 'day 5']);
});
