import assert from 'node:assert/strict';
import type { BudgetAmounts, BudgetClaim, BudgetReservation } from '@ravi/kernel';
import { midnight, principals, rejectsWith } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const period = midnight;
const now = midnight + 1_000;
const none: BudgetAmounts = { tokens: 0, cost: 0, toolCalls: 0, timeMs: 0 };

function claim(limits: Partial<BudgetAmounts> = {}, name = 'ada'): BudgetClaim {
  return { scope: 'principal', name, limits };
}

function reservation(id: string, overrides: Partial<BudgetReservation> = {}): BudgetReservation {
  const amounts = { tokens: 60 };
  return { id, period, claims: [claim({ tokens: 100 })], amounts, now, expiresAt: now + 1_000, ...overrides };
}

/** Cases about budgets that all processes share. */
export function budgetCases({ needing, options: { reopen } }: StateStoreSuite): void {
  const scenario = needing('budgets');

  scenario('what is reserved and used together stays within the limit of a budget', async ({ budgets }) => {
    assert.equal(await budgets.reserve(reservation('a')), undefined);
    assert.deepEqual(await budgets.reserve(reservation('b')), {
      scope: 'principal',
      name: 'ada',
      amount: 'tokens',
      limit: 100,
      used: 0,
      reserved: 60,
      requested: 60,
    });
    assert.equal(await budgets.settle('a', { tokens: 40, cost: 0.25, timeMs: 7 }), true);
    assert.equal(await budgets.reserve(reservation('b')), undefined);
    const expected = { used: { ...none, tokens: 40, cost: 0.25, timeMs: 7 }, reserved: { ...none, tokens: 60 } };
    assert.deepEqual(await budgets.usage(period, { now }), [{ scope: 'principal', name: 'ada', ...expected }]);
    const refusal = await budgets.reserve(reservation('c', { amounts: { tokens: 1 } }));
    assert.deepEqual([refusal?.used, refusal?.reserved], [40, 60]);
  });

  scenario('a request that one of several budgets refuses changes none of them', async ({ budgets }) => {
    const claims: readonly BudgetClaim[] = [
      { scope: 'server', name: '', limits: {} },
      claim({ tokens: 100 }),
      { scope: 'agent', name: 'ravi', limits: { cost: 1 } },
    ];
    const amounts = { tokens: 10, cost: 1.5 };
    const refusal = await budgets.reserve(reservation('a', { claims, amounts }));
    assert.deepEqual([refusal?.scope, refusal?.name, refusal?.amount], ['agent', 'ravi', 'cost']);
    assert.equal((await budgets.spend({ period, claims, amounts, now }))?.scope, 'agent');
    assert.deepEqual(await budgets.usage(period, { now }), []);
    assert.equal(await budgets.settle('a', { tokens: 10 }), false);
  });

  scenario('a reservation is settled once, in every budget that it claims', async ({ budgets }) => {
    const claims = [claim(), claim({}, 'grace')];
    await budgets.reserve(reservation('a', { claims }));
    assert.equal(await budgets.settle('a', { tokens: 5 }), true);
    assert.equal(await budgets.settle('a', { tokens: 5 }), false);
    assert.equal(await budgets.settle('other', { tokens: 5 }), false);
    assert.deepEqual(
      (await budgets.usage(period, { now })).map(({ name, used, reserved }) => [name, used.tokens, reserved.tokens]),
      [
        ['ada', 5, 0],
        ['grace', 5, 0],
      ],
    );
  });

  scenario('a reservation that has expired frees its amounts and can still be settled', async ({ budgets }) => {
    await budgets.reserve(reservation('a'));
    const later = now + 1_000;
    const [usage] = await budgets.usage(period, { now: later });
    assert.equal(usage, undefined);
    assert.equal(await budgets.reserve(reservation('b', { now: later, expiresAt: later + 1_000 })), undefined);
    assert.equal(await budgets.settle('a', { tokens: 30 }), true);
    const [settled] = await budgets.usage(period, { now: later });
    assert.deepEqual([settled?.used.tokens, settled?.reserved.tokens], [30, 60]);
  });

  scenario('a request for nothing is refused once nothing is left', async ({ budgets }) => {
    const claims = [claim({ timeMs: 10 })];
    const request = { claims, amounts: { timeMs: 0 } };
    assert.equal(await budgets.reserve(reservation('a', request)), undefined);
    await budgets.settle('a', { timeMs: 10 });
    assert.equal((await budgets.reserve(reservation('b', request)))?.amount, 'timeMs');
    // Tokens are not part of the request.
    assert.equal(await budgets.reserve(reservation('c', { claims: [claim({ tokens: 0 })], amounts: {} })), undefined);
  });

  scenario('amounts that are spent count at once, up to the limit', async ({ budgets }) => {
    const request = { period, claims: [claim({ toolCalls: 2 })], amounts: { toolCalls: 1 }, now };
    const refusals = await Promise.all([1, 2, 3, 4].map(() => budgets.spend(request)));
    assert.equal(refusals.filter((refusal) => refusal === undefined).length, 2);
    const [usage] = await budgets.usage(period, { now });
    assert.deepEqual([usage?.used.toolCalls, usage?.reserved.toolCalls], [2, 0]);
  });

  scenario('reservations at the same time do not pass the limit', async ({ budgets }) => {
    const claims = [claim({ tokens: 100 }), claim({ tokens: 1_000 }, 'grace')];
    const ids = Array.from({ length: 40 }, (_, index) => `r-${index}`);
    const refusals = await Promise.all(
      ids.map((id, index) =>
        budgets.reserve(
          reservation(id, { claims: index % 2 === 0 ? claims : claims.toReversed(), amounts: { tokens: 10 } }),
        ),
      ),
    );
    assert.equal(refusals.filter((refusal) => refusal === undefined).length, 10);
    await Promise.all(ids.map((id) => budgets.settle(id, { tokens: 10 })));
    const usage = await budgets.usage(period, { now });
    assert.deepEqual(
      usage.map(({ used }) => used.tokens),
      [100, 100],
    );
  });

  scenario('periods are counted apart, and old ones are removed', async ({ budgets }) => {
    const tomorrow = period + 86_400_000;
    await budgets.reserve(reservation('a'));
    await budgets.settle('a', { tokens: 100 });
    assert.equal(await budgets.reserve(reservation('b', { period: tomorrow, expiresAt: tomorrow + 1 })), undefined);
    assert.equal(await budgets.removeOld(tomorrow), 1);
    assert.deepEqual(await budgets.usage(period, { now }), []);
    assert.equal((await budgets.usage(tomorrow, { now })).length, 1);
  });

  scenario('any text may name a budget, and each name has its own', async ({ budgets }) => {
    for (const [index, name] of principals.entries()) {
      await budgets.spend({ period, claims: [claim({}, name)], amounts: { tokens: index + 1 }, now });
    }
    for (const [index, name] of principals.entries()) {
      const accounts = [{ scope: 'principal', name }] as const;
      const usage = await budgets.usage(period, { now, accounts });
      assert.deepEqual(
        usage.map((each) => [each.name, each.used.tokens]),
        [[name, index + 1]],
      );
    }
    assert.deepEqual(await budgets.usage(period, { now, accounts: [] }), []);
    assert.deepEqual(await budgets.usage(period, { now, accounts: [{ scope: 'agent', name: 'ada' }] }), []);
  });

  scenario('a budget request that makes no sense is refused', async ({ budgets }) => {
    for (const tokens of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await rejectsWith('E_STATE_INVALID', budgets.reserve(reservation('a', { amounts: { tokens } })));
    }
    await rejectsWith('E_STATE_INVALID', budgets.reserve(reservation('a', { claims: [] })));
    await rejectsWith('E_STATE_INVALID', budgets.reserve(reservation('a', { claims: [claim(), claim()] })));
    await rejectsWith('E_STATE_INVALID', budgets.reserve(reservation('')));
    await budgets.reserve(reservation('a'));
    await rejectsWith('E_STATE_CONFLICT', budgets.reserve(reservation('a', { claims: [claim()] })));
    // Sums stay numbers, and no usage gives anything back.
    for (const tokens of [-1, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_VALUE]) {
      await rejectsWith('E_STATE_INVALID', budgets.settle('a', { tokens }));
    }
    const [usage] = await budgets.usage(period, { now });
    assert.deepEqual([usage?.used.tokens, usage?.reserved.tokens], [0, 60]);
  });

  if (reopen === undefined) return;
  scenario('budgets outlive the process that used them', async (store) => {
    await store.budgets.reserve(reservation('a'));
    await store.budgets.reserve(reservation('b', { amounts: { tokens: 10 } }));
    await store.budgets.settle('a', { tokens: 50 });
    await store[Symbol.asyncDispose]();
    await using again = await reopen(store);
    const [usage] = (await again.budgets?.usage(period, { now })) ?? [];
    assert.deepEqual([usage?.used.tokens, usage?.reserved.tokens], [50, 10]);
    assert.equal(await again.budgets?.settle('b', { tokens: 10 }), true);
  });
}
