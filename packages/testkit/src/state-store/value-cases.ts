import assert from 'node:assert/strict';
import { scratchpadArea } from '@ravi/kernel';
import type { JsonValue } from '@ravi/kernel';
import { midnight, newRun, principals, rejectsWith } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const place = { area: 'tool-definitions', principal: 'ada', key: 'github/create_issue' };
const maxBytes = 1024 * 1024;

/** Cases about values that outlive a process. */
export function valueCases({ needing, options: { reopen } }: StateStoreSuite): void {
  const scenario = needing('values');

  scenario('a value is read as it was stored, with a revision that grows with each change', async ({ values }) => {
    assert.equal(await values.get(place), undefined);
    const all: readonly JsonValue[] = [{ name: '漢字 \u2028', hints: [null, 1.5, false] }, 'text \0', null, 0, [], {}];
    let before = 0;
    for (const value of all) {
      const revision = await values.put(place, value);
      assert.ok(revision !== undefined && revision > before, `revision ${revision} follows ${before}`);
      assert.deepEqual(await values.get(place), { key: place.key, value, revision });
      before = revision;
    }
  });

  scenario('area, owner and key tell values apart', async ({ values }) => {
    const others = [{ area: 'secrets' }, { principal: 'grace' }, { principal: '' }, { key: 'github/create_issu' }];
    await values.put(place, 'own');
    for (const [index, other] of others.entries()) await values.put({ ...place, ...other }, index);
    assert.equal((await values.get(place))?.value, 'own');
    for (const [index, other] of others.entries()) {
      assert.equal((await values.get({ ...place, ...other }))?.value, index);
    }
  });

  scenario('any text may own values, and each owner sees its own', async ({ values }) => {
    for (const [index, principal] of principals.entries()) await values.put({ ...place, principal }, index);
    for (const [index, principal] of principals.entries()) {
      assert.equal((await values.get({ ...place, principal }))?.value, index);
      const listed = await values.list({ area: place.area, principal });
      assert.deepEqual(
        listed.map(({ value }) => value),
        [index],
      );
    }
  });

  scenario('a change for a revision is made only if the value still has it', async ({ values }) => {
    const first = await values.put(place, 'a', { ifRevision: 0 });
    assert.ok(first !== undefined);
    assert.equal(await values.put(place, 'b', { ifRevision: 0 }), undefined);
    const second = await values.put(place, 'c', { ifRevision: first });
    assert.ok(second !== undefined && second > first);
    assert.equal(await values.put(place, 'd', { ifRevision: first }), undefined);
    assert.deepEqual(await values.get(place), { key: place.key, value: 'c', revision: second });
  });

  scenario('of several changes for one revision exactly one is made', async ({ values }) => {
    for (const prepare of [async () => 0, async () => (await values.put(place, 'before')) ?? 0]) {
      await values.delete(place);
      const ifRevision = await prepare();
      const changes = ['a', 'b', 'c', 'd'].map(async (value) => ({
        value,
        revision: await values.put(place, value, { ifRevision }),
      }));
      const made = (await Promise.all(changes)).filter(({ revision }) => revision !== undefined);
      assert.equal(made.length, 1);
      assert.deepEqual(await values.get(place), { key: place.key, ...made[0] });
    }
  });

  scenario('changes at once without a revision leave one of the values', async ({ values }) => {
    const revisions = await Promise.all(['a', 'b', 'c', 'd'].map((value) => values.put(place, value)));
    assert.equal(new Set(revisions).size, 4);
    const stored = await values.get(place);
    assert.match(JSON.stringify(stored?.value), /^"[abcd]"$/);
    assert.equal(stored?.revision, Math.max(...revisions.map(Number)));
  });

  scenario('a value is removed once, and only with the expected revision', async ({ values }) => {
    const revision = await values.put(place, 'a');
    assert.ok(revision !== undefined);
    assert.equal(await values.delete(place, { ifRevision: revision + 1 }), false);
    assert.equal(await values.delete(place, { ifRevision: revision }), true);
    assert.equal(await values.delete(place), false);
    assert.equal(await values.get(place), undefined);
  });

  scenario('a value that was removed and stored again does not have its earlier revision', async ({ values }) => {
    const earlier = await values.put(place, 'a');
    await values.delete(place);
    const later = await values.put(place, 'b', { ifRevision: 0 });
    assert.ok(earlier !== undefined && later !== undefined && later > earlier);
    assert.equal(await values.put(place, 'c', { ifRevision: earlier }), undefined);
    assert.equal(await values.delete(place, { ifRevision: earlier }), false);
  });

  scenario('the values of an area and an owner are listed by key', async ({ values }) => {
    for (const key of ['b', 'a/2', 'B', 'a/1']) await values.put({ ...place, key }, key);
    await values.put({ ...place, area: 'secrets' }, 'other area');
    await values.put({ ...place, principal: 'grace' }, 'other owner');
    const listed = await values.list(place);
    assert.deepEqual(
      listed.map(({ key, value }) => [key, value]),
      ['B', 'a/1', 'a/2', 'b'].map((key) => [key, key]),
    );
  });

  scenario('values and places beyond the limits are refused', async ({ values }) => {
    const longest = 'x'.repeat(maxBytes - 2);
    assert.ok(await values.put({ ...place, key: 'k'.repeat(500) }, longest));
    await rejectsWith('E_STATE_INVALID', values.put(place, `${longest}x`));
    await rejectsWith('E_STATE_INVALID', values.put(place, '漢'.repeat(maxBytes / 2)));
    for (const key of ['', 'k'.repeat(501), 'a\nb', '\ud800']) {
      await rejectsWith('E_STATE_INVALID', values.put({ ...place, key }, 1));
      assert.equal(await values.get({ ...place, key }), undefined);
      assert.equal(await values.delete({ ...place, key }), false);
    }
    for (const area of ['', 'Secrets', 'a b', 'a'.repeat(65)]) {
      await rejectsWith('E_STATE_INVALID', values.put({ ...place, area }, 1));
    }
    await rejectsWith('E_STATE_INVALID', values.put(place, undefined as never));
  });

  scenario('a run that ends takes its scratchpad with it, and those of the runs below it', async ({ runs, values }) => {
    const of = (key: string): typeof place => ({ ...place, area: scratchpadArea, key });
    const kept = async (): Promise<readonly string[]> =>
      (await values.list({ area: scratchpadArea, principal: 'ada' })).map(({ key }) => key);
    await runs.create(newRun('above'));
    await runs.create(newRun('below', { parentRunId: 'above' }));
    await runs.create(newRun('other'));
    for (const key of ['above', 'below', 'other']) await values.put(of(key), [['k', '1']]);
    await values.put({ ...place, key: 'above' }, 'another area');
    await values.put({ ...of('above'), principal: 'grace' }, 'another owner');
    assert.ok(await runs.transition('above', { from: ['running'], to: 'paused', now: midnight }));
    assert.deepEqual(await kept(), ['above', 'below', 'other'], 'a paused run continues');
    assert.ok(await runs.transition('above', { from: ['paused'], to: 'failed', now: midnight }));
    assert.deepEqual(await kept(), ['other']);
    assert.equal((await values.get({ ...place, key: 'above' }))?.value, 'another area');
    assert.equal((await values.get({ ...of('above'), principal: 'grace' }))?.value, 'another owner');
  });

  needing('values', 'retention')('scratchpads of runs that are not live are removed', async (store) => {
    const { runs, values, retention } = store;
    await runs.create(newRun('live'));
    await runs.create(newRun('ended'));
    assert.ok(await runs.transition('ended', { from: ['running'], to: 'completed', now: midnight }));
    // By processes that had lost their runs.
    for (const key of ['live', 'ended', 'unknown']) await values.put({ ...place, area: scratchpadArea, key }, []);
    await values.put({ ...place, key: 'unknown' }, 'another area');
    await retention.removeOrphans(midnight);
    const left = await values.list({ area: scratchpadArea, principal: 'ada' });
    assert.deepEqual(
      left.map(({ key }) => key),
      ['live'],
    );
    assert.equal((await values.get({ ...place, key: 'unknown' }))?.value, 'another area');
  });

  if (reopen === undefined) return;
  scenario('values outlive the process that stored them', async (store) => {
    const revision = await store.values.put(place, { kept: true });
    await store[Symbol.asyncDispose]();
    await using again = await reopen(store);
    assert.deepEqual(await again.values?.get(place), { key: place.key, value: { kept: true }, revision });
  });
}
