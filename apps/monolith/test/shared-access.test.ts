import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@ravi/kernel';
import type { Clock } from '@ravi/kernel';
import { createMemoryLogger } from '@ravi/testkit';
import { as, secrets, sha256 } from './support/callers.ts';
import type { CallerName } from './support/callers.ts';
import { stateStoreOf } from './support/server.ts';
import type { TestServer } from './support/server.ts';
import { shareStore } from './support/shared-store.ts';
import type { SharedStore } from './support/shared-store.ts';
import { storeCases } from './support/state-stores.ts';

const tokensOf = (...names: readonly CallerName[]) =>
  names.map((principal) => ({ principal, tokenSha256: sha256(secrets[principal]), roles: ['run' as const] }));

function start(shared: SharedStore, server: object = {}, options: object = {}): Promise<TestServer> {
  return shared.start({ server: { tokens: tokensOf('ada', 'bob'), ...server } }, {}, options);
}

async function signIn({ url }: TestServer, token: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/session`, { method: 'POST', headers, body: JSON.stringify({ token }) });
  assert.equal(response.status, 200, await response.text());
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

const statusOf = async ({ url }: TestServer, headers: Record<string, string>, path = '/v1/session'): Promise<number> =>
  (await fetch(`${url}${path}`, { headers })).status;

function signOut(server: TestServer, cookie: string): Promise<Response> {
  return fetch(`${server.url}/v1/session`, { method: 'DELETE', headers: { cookie, origin: server.url } });
}

/** A clock that a test sets forward. */
function settableClock(): { readonly clock: Clock; pass(ms: number): void } {
  let passed = 0;
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + passed,
    monotonic: () => systemClock.monotonic() + passed,
  };
  return {
    clock,
    pass(ms) {
      passed += ms;
    },
  };
}

/** Asks until a server refuses the caller, and returns how many requests it has answered. It has time to count them in between. */
async function acceptedBy(server: TestServer, headers: Record<string, string>, limit: number): Promise<number> {
  for (let accepted = 0; accepted <= 2 * limit; accepted++) {
    const status = await statusOf(server, headers, '/v1/tools');
    if (status === 429) return accepted;
    await pause(20);
  }
  throw new Error(`none of ${2 * limit} requests was refused`);
}

for (const store of storeCases) {
  const { name, test } = store;

  test(`a browser that signed in on one server is signed in on all, also after a restart, until it signs out (${name})`, async () => {
    await using shared = await shareStore(store);
    await using first = await start(shared);
    const { clock, pass } = settableClock();
    await using second = await start(shared, {}, { clock });
    const cookie = await signIn(first, secrets.ada);
    assert.equal(await statusOf(second, { cookie }), 200);
    // One that the second server has not seen, while it knows another one of the same principal.
    const other = await signIn(first, secrets.ada);
    assert.equal(await statusOf(second, { cookie: other }), 200);
    await first.shutDown();
    await using third = await start(shared);
    assert.equal(await statusOf(third, { cookie }), 200);

    assert.equal((await signOut(third, cookie)).status, 204);
    assert.equal(await statusOf(third, { cookie }), 401);
    pass(5_000);
    assert.equal(await statusOf(second, { cookie }), 401);
    assert.equal(await statusOf(second, { cookie: other }), 200);
    pass(43_200_000);
    assert.equal(await statusOf(second, { cookie: other }), 401);
  });

  test(`a sign-in ends when its token is no longer configured, and belongs to one caller (${name})`, async () => {
    await using shared = await shareStore(store);
    await using first = await start(shared);
    const cookie = await signIn(first, secrets.ada);
    const [value = ''] = cookie.split('=').slice(1);
    const [id = ''] = value.split('.');
    // The id of ada with the name of bob, an id without a name, another id.
    const bobs = (await signIn(first, secrets.bob)).split('.')[1] ?? '';
    for (const forged of [`${id}.${bobs}`, id, `${'x'.repeat(43)}.${value.split('.')[1]}`, `${id}.${'x'.repeat(22)}`]) {
      assert.equal(await statusOf(first, { cookie: `ravi_session=${forged}` }), 401, forged);
    }
    // The database does not tell the id.
    const stored = await stateStoreOf(first.monolith).values.list({ area: 'sign-ins', principal: 'ada' });
    assert.equal(JSON.stringify(stored).includes(id), false);
    assert.equal(Object.keys(stored[0]?.value ?? {}).length, 1);

    const replaced = [{ principal: 'ada', tokenSha256: sha256('n'.repeat(32)), roles: ['run' as const] }];
    await using second = await start(shared, { tokens: replaced });
    assert.equal(await statusOf(second, { cookie }), 401);
    assert.equal(await statusOf(first, { cookie }), 200);
  });

  test(`sign-ins at once on two servers all count, and the oldest of more than a hundred ends (${name})`, async () => {
    await using shared = await shareStore(store);
    await using first = await start(shared);
    await using second = await start(shared);
    const oldest = await signIn(first, secrets.ada);
    const more = await Promise.all([first, second, first, second].map((server) => signIn(server, secrets.ada)));
    for (const cookie of [oldest, ...more]) assert.equal(await statusOf(second, { cookie }), 200);
    const { values } = stateStoreOf(first.monolith);
    for (let count = more.length; count < 100; count++) await signIn(first, secrets.ada);
    assert.equal(await statusOf(first, { cookie: oldest }), 401);
    const [stored] = await values.list({ area: 'sign-ins', principal: 'ada' });
    assert.equal(Object.keys(stored?.value ?? {}).length, 100);
  });

  test(`a caller has one limit of requests on all servers, but for a block on each (${name})`, async () => {
    await using shared = await shareStore(store);
    const limit = 40;
    await using first = await start(shared, { requestsPerMinute: limit });
    await using second = await start(shared, { requestsPerMinute: limit });
    const block = limit / 20;
    const accepted = await acceptedBy(first, as('ada'), limit);
    assert.ok(accepted >= limit, `${accepted} on the first server`);
    const more = await acceptedBy(second, as('ada'), limit);
    // A block, and what arrives while it is charged.
    assert.ok(more < limit / 2 && more >= block, `${more} on the second server`);
    assert.equal(await statusOf(second, as('bob'), '/v1/tools'), 200);
    // A new server does not forget.
    await using third = await start(shared, { requestsPerMinute: limit });
    const again = await acceptedBy(third, as('ada'), limit);
    assert.ok(again < limit / 2, `${again} on the third server`);
  });

  test(`unknown tokens of an address count on all servers, and valid ones are never refused (${name})`, async () => {
    await using shared = await shareStore(store);
    await using first = await start(shared);
    await using second = await start(shared);
    const wrong = { authorization: `Bearer ${'w'.repeat(32)}` };
    assert.ok((await acceptedBy(first, wrong, 20)) >= 20);
    assert.ok((await acceptedBy(second, wrong, 20)) < 15);
    assert.equal(await statusOf(second, as('ada'), '/v1/tools'), 200);
  });
}

const [sqlite = assert.fail()] = storeCases;

sqlite.test(
  'while the state store is unavailable each server has the whole limit, and known sign-ins count',
  async () => {
    await using shared = await shareStore(sqlite);
    const logger = createMemoryLogger();
    const { clock, pass } = settableClock();
    await using server = await start(shared, { requestsPerMinute: 20 }, { logger, clock });
    const cookie = await signIn(server, secrets.bob);
    assert.equal(await statusOf(server, { cookie }), 200);
    await stateStoreOf(server.monolith)[Symbol.asyncDispose]();
    pass(5_000);
    assert.equal(await statusOf(server, { cookie }), 200);
    const invented = cookie.replace(/=.{43}/, `=${'x'.repeat(43)}`);
    assert.equal(await statusOf(server, { cookie: invented }), 503);
    assert.ok((await acceptedBy(server, as('ada'), 20)) >= 20);
    assert.ok(logger.messages('warn').some((message) => /could not be counted together/.test(message)));
  },
);
