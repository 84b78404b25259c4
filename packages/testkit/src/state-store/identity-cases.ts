import assert from 'node:assert/strict';
import type { IdentityStore, StateStore } from '@ravi/kernel';
import type { StateStoreSuite } from './state-store-suite.ts';

type Body = (identity: IdentityStore) => Promise<void>;

/** Cases about the identity of a store. A store that ends with its process has none. */
export function identityCases({ needing }: StateStoreSuite): void {
  const scenario = (name: string, body: Body): void => {
    needing()(name, async ({ identity }: StateStore) => {
      if (identity !== undefined) await body(identity);
    });
  };

  scenario('a new store has no identity, and keeps the first one that it is given', async (identity) => {
    assert.equal(await identity.get(), undefined);
    const first = { id: 'one', keyCheck: 'a' };
    assert.deepEqual(await identity.set(first), first);
    assert.deepEqual(await identity.set({ id: 'two', keyCheck: 'b' }), first);
    assert.deepEqual(await identity.get(), first);
  });

  scenario('of several identities that are set at once every caller gets the same', async (identity) => {
    const names = ['one', 'two', 'three', 'four'];
    const all = await Promise.all(names.map((id) => identity.set({ id, keyCheck: id })));
    assert.equal(new Set(all.map(({ id }) => id)).size, 1);
  });

  scenario('of several keys that are set at once every caller gets the first, which stays', async (identity) => {
    const keys = ['a2V5IDE=', 'a2V5IDI=', 'a2V5IDM=', 'a2V5IDQ='];
    const all = await Promise.all(keys.map((digestKey) => identity.set({ id: digestKey, keyCheck: 'a', digestKey })));
    const [first] = all;
    for (const each of all) assert.deepEqual(each, first);
    assert.equal(first?.id, first?.digestKey);
    assert.deepEqual(await identity.get(), first);
    await identity.set({ id: 'one', keyCheck: 'b', isKeyOutside: true }, { replace: true });
    assert.deepEqual(await identity.get(), { id: 'one', keyCheck: 'b', isKeyOutside: true });
  });

  scenario('an identity is replaced when that is asked for', async (identity) => {
    await identity.set({ id: 'one', keyCheck: 'a' });
    const second = { id: 'two', keyCheck: 'b' };
    assert.deepEqual(await identity.set(second, { replace: true }), second);
    assert.deepEqual(await identity.get(), second);
  });
}
