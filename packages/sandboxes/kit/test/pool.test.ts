import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isKernelError } from '@ravi/kernel';
import { test } from 'vitest';
import type { GuestProcess } from '../src/host/guest-process.ts';
import { createGuestPool } from '../src/host/pool.ts';
import type { GuestPool } from '../src/host/pool.ts';
import { createFakeLauncher } from './fake-guest.ts';
import type { FakeGuest } from './fake-guest.ts';

const options = { poolSize: 1, maxProcesses: 2, maxParked: 2, maxRunsPerProcess: 100 };

async function take(pool: GuestPool, principal: string): Promise<GuestProcess> {
  const guest = await pool.acquire(principal, undefined);
  assert.ok(guest !== undefined);
  return guest;
}

/** Returns a process to the pool after a successful run; the process then reports that it is ready again. */
function giveBack(pool: GuestPool, guest: GuestProcess, guests: readonly FakeGuest[], index: number): void {
  pool.release(guest, true);
  guests[index]?.say('y');
}

test('a process serves its first principal only', async () => {
  const { launch, guests } = createFakeLauncher(() => {});
  const pool = createGuestPool(launch, { ...options, poolSize: 0 });
  const first = await take(pool, 'alice');
  giveBack(pool, first, guests, 0);
  const second = await take(pool, 'bob');
  assert.notEqual(second, first);
  assert.equal(await take(pool, 'alice'), first);
  await pool.close();
});

test('at maxProcesses an idle process of another principal is ended to make room', async () => {
  const { launch, guests } = createFakeLauncher(() => {});
  const pool = createGuestPool(launch, { ...options, poolSize: 0, maxProcesses: 1 });
  giveBack(pool, await take(pool, 'alice'), guests, 0);
  const second = await take(pool, 'bob');
  assert.equal(guests[0]?.killed, true);
  assert.equal(second.principal, 'bob');
  await pool.close();
});

test('principals take turns, and each is served in its order', async () => {
  const { launch, guests } = createFakeLauncher(() => {});
  const pool = createGuestPool(launch, { ...options, poolSize: 0, maxProcesses: 1 });
  const held = await take(pool, 'alice');
  const order: string[] = [];
  const waiting = ['alice 1', 'alice 2', 'alice 3', 'bob 1', 'bob 2'].map(async (name) => {
    const guest = await take(pool, name.split(' ')[0] as string);
    order.push(name);
    pool.release(guest, false);
  });
  pool.release(held, false);
  await Promise.all(waiting);
  assert.deepEqual(order, ['alice 1', 'bob 1', 'alice 2', 'bob 2', 'alice 3']);
  assert.ok(guests.length >= 5);
  await pool.close();
});

test('many runs at once start no more processes than allowed', async () => {
  const { launch, guests } = createFakeLauncher(() => {});
  const pool = createGuestPool(launch, { ...options, maxProcesses: 3 });
  const waiting = Array.from({ length: 10 }, async () => {
    const guest = await take(pool, 'alice');
    assert.ok(guests.filter((other) => !other.killed).length <= 3);
    pool.release(guest, false);
  });
  await Promise.all(waiting);
  await pool.close();
});

test('an unused process is kept ready in addition to the used ones', async () => {
  const { launch, guests } = createFakeLauncher(() => {});
  const pool = createGuestPool(launch, { poolSize: 2, maxProcesses: 4, maxParked: 2, maxRunsPerProcess: 100 });
  assert.equal(guests.length, 2);
  await take(pool, 'alice');
  while (guests.length < 3) await nextTurn();
  await pool.close();
});

test('an unused process rehearses once, and is lent when it is ready again', async () => {
  const { launch, guests } = createFakeLauncher((guest, frame) => {
    if (frame === 'p') setImmediate(() => guest.say('y'));
  });
  const pool = createGuestPool(launch, { poolSize: 1, maxProcesses: 2, maxParked: 2, maxRunsPerProcess: 100 });
  const used = await take(pool, 'alice');
  pool.rehearse('p');
  while (guests[1]?.received.length !== 1) await nextTurn();
  const other = await take(pool, 'bob');
  assert.notEqual(other, used);
  assert.deepEqual(
    guests.map((guest) => guest.received),
    [[], ['p']],
  );
  giveBack(pool, other, guests, 1);
  pool.rehearse('p');
  assert.deepEqual(guests[1]?.received, ['p']);
  await pool.close();
});

test('a process is replaced after its runs', async () => {
  const { launch, guests } = createFakeLauncher(() => {});
  const pool = createGuestPool(launch, { ...options, poolSize: 0, maxRunsPerProcess: 2 });
  const first = await take(pool, 'alice');
  giveBack(pool, first, guests, 0);
  assert.equal(await take(pool, 'alice'), first);
  pool.release(first, true);
  assert.equal(guests[0]?.killed, true);
  assert.notEqual(await take(pool, 'alice'), first);
  await pool.close();
});

test('a process that is lost while idle is not lent', async () => {
  const { launch, guests } = createFakeLauncher(() => {});
  const pool = createGuestPool(launch, { ...options, poolSize: 0 });
  const first = await take(pool, 'alice');
  giveBack(pool, first, guests, 0);
  guests[0]?.close('was ended by SIGKILL');
  assert.notEqual(await take(pool, 'alice'), first);
  await pool.close();
});

test('a run does not fail because of processes that are killed while they start', async () => {
  const { launch, guests } = createFakeLauncher(() => {});
  const pool = createGuestPool(launch, { ...options, poolSize: 0 });
  pool.release(await take(pool, 'alice'), false);
  const waiting = take(pool, 'bob');
  guests[1]?.close('was ended by SIGKILL');
  guests[2]?.close('was ended by SIGKILL');
  assert.equal((await waiting).principal, 'bob');
  assert.equal(guests.length, 4);
  await pool.close();
});

test('when processes do not start, waiting runs are refused, and the next run tries again', async () => {
  const { launch, guests } = createFakeLauncher(() => {});
  let broken = true;
  const pool = createGuestPool(
    (events) => {
      if (!broken) return launch(events);
      queueMicrotask(() => events.onClose({ reason: 'could not be started: no such file', outOfMemory: false }));
      return { pid: undefined, send() {}, kill() {}, keepAlive() {} };
    },
    { ...options, poolSize: 0 },
  );
  await assert.rejects(take(pool, 'alice'), (error) => {
    return isKernelError(error, 'E_SANDBOX_UNAVAILABLE') && error.message.includes('no such file') && error.retryable;
  });
  broken = false;
  assert.ok(await take(pool, 'alice'));
  assert.equal(guests.length, 1);
  await pool.close();
});

test('waiting ends when the signal aborts, and when the pool is closed', async () => {
  const { launch } = createFakeLauncher(() => {});
  const pool = createGuestPool(launch, { ...options, poolSize: 0, maxProcesses: 1 });
  await take(pool, 'alice');
  const controller = new AbortController();
  const aborted = pool.acquire('alice', controller.signal);
  const waiting = pool.acquire('bob', undefined);
  controller.abort();
  assert.equal(await aborted, undefined);
  await Promise.all([assert.rejects(waiting, (error) => isKernelError(error, 'E_SANDBOX_UNAVAILABLE')), pool.close()]);
  await assert.rejects(pool.acquire('bob', undefined), (error) => isKernelError(error, 'E_SANDBOX_UNAVAILABLE'));
});

test('a principal never uses the last process, however many runs it starts', async () => {
  const { launch } = createFakeLauncher(() => {});
  const pool = createGuestPool(launch, { ...options, poolSize: 0, maxProcesses: 3 });
  const leaving = new AbortController();
  await take(pool, 'alice');
  await take(pool, 'alice');
  const waiting = Array.from({ length: 5 }, () => pool.acquire('alice', leaving.signal));
  const guest = await take(pool, 'bob');
  pool.release(guest, false);
  await take(pool, 'carol');
  leaving.abort();
  assert.deepEqual(await Promise.all(waiting), Array.from({ length: 5 }));
  await pool.close();
});

test('a process whose script waits for a person does not count, up to maxParked', async () => {
  const { launch, guests } = createFakeLauncher(() => {});
  const pool = createGuestPool(launch, { ...options, poolSize: 0, maxProcesses: 1, maxParked: 2 });
  const humanWaitMs = (): number => performance.now();
  for (let count = 0; count < 3; count++) assert.ok(await pool.acquire('alice', undefined, humanWaitMs));
  assert.equal(guests.filter(({ killed }) => !killed).length, 3);
  assert.equal(await pool.acquire('bob', AbortSignal.timeout(200), humanWaitMs), undefined);
  await pool.close();
});
