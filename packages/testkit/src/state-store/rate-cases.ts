import assert from 'node:assert/strict';
import type { RateCharge } from '@ravi/kernel';
import { principals, rejectsWith } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const minuteMs = 60_000;

/** A charge of an allowance that refills too slowly for a test to notice. */
function charge(amount: number, overrides: Partial<RateCharge> = {}): RateCharge {
  return { limit: 'requests', client: 'ada', amount, perMinute: 0.001, ...overrides };
}

/** Cases about allowances that all processes share. */
export function rateCases({ needing, options: { reopen } }: StateStoreSuite): void {
  const scenario = needing('rates');

  scenario('an allowance lasts for as many uses as it has, and then the client waits for one', async ({ rates }) => {
    assert.equal(await rates.charge(charge(4, { perMinute: 10 })), undefined);
    assert.equal(await rates.charge(charge(5, { perMinute: 10 })), undefined);
    const last = (await rates.charge(charge(1, { perMinute: 10 }))) ?? assert.fail();
    assert.ok(last > 0 && last <= minuteMs / 10, String(last));
  });

  scenario('uses beyond the allowance are owed', async ({ rates }) => {
    // A minute is a thousandth of one use.
    const one = minuteMs / 0.001;
    const first = (await rates.charge(charge(1))) ?? assert.fail();
    const second = (await rates.charge(charge(2))) ?? assert.fail();
    assert.ok(Math.abs(second - first - 2 * one) < one / 2, `${first} ${second}`);
  });

  scenario('charges of several callers at once are all counted', async ({ rates }) => {
    const waits = await Promise.all(Array.from({ length: 20 }, () => rates.charge(charge(1, { perMinute: 0.5 }))));
    const longest = Math.max(...waits.map((wait) => wait ?? 0));
    // Each use takes two minutes, and a full allowance is worth one.
    const expected = 20 * 2 * minuteMs - (minuteMs - 2 * minuteMs);
    assert.ok(longest <= expected && longest > expected - minuteMs, String(longest));
  });

  scenario('limits and clients are counted apart, and a client is any text', async ({ rates }) => {
    for (const client of principals) {
      assert.equal(await rates.charge(charge(1, { client, perMinute: 2 })), undefined, JSON.stringify(client));
    }
    assert.equal(await rates.charge(charge(1, { limit: 'unknown-tokens', perMinute: 2 })), undefined);
    assert.ok((await rates.charge(charge(1, { perMinute: 2 }))) !== undefined);
  });

  scenario('only clients whose allowance is full are forgotten', async ({ rates }) => {
    const wait = (await rates.charge(charge(1))) ?? assert.fail();
    // Full again at once.
    await rates.charge(charge(1, { client: 'grace', perMinute: 1e12 }));
    for (let removed = 0; removed === 0;) removed = await rates.removeFull();
    assert.equal(await rates.removeFull(), 0);
    assert.ok(((await rates.charge(charge(1))) ?? 0) > wait);
  });

  scenario('a charge that is not a positive number, or has no proper limit, is refused', async ({ rates }) => {
    for (const amount of [0, -1, 1.5, NaN, Infinity]) {
      await rejectsWith('E_STATE_INVALID', rates.charge(charge(amount)));
    }
    for (const perMinute of [0, -1, NaN, Infinity]) {
      await rejectsWith('E_STATE_INVALID', rates.charge(charge(1, { perMinute })));
    }
    for (const limit of ['', 'Requests', 'a b', 'x'.repeat(65)]) {
      await rejectsWith('E_STATE_INVALID', rates.charge(charge(1, { limit })));
    }
    assert.equal(await rates.removeFull(), 0);
  });

  if (reopen === undefined) return;
  scenario('an allowance outlives the process', async (store) => {
    const before = (await store.rates.charge(charge(1))) ?? assert.fail();
    await store[Symbol.asyncDispose]();
    await using opened = await reopen(store);
    const after = (await opened.rates?.charge(charge(1))) ?? assert.fail();
    assert.ok(after > before + minuteMs, `${before} ${after}`);
  });
}
