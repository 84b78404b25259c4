import assert from 'node:assert/strict';
import type { EndingLimit } from '@ravi/kernel';
import { test, vi } from 'vitest';
import type { BoundedRequest } from '../src/host/bounded-request.ts';
import type { ProcessUsage } from '../src/host/process-usage.ts';
import { createWatch } from '../src/host/watch.ts';
import type { Watch } from '../src/host/watch.ts';
import { limits } from './fake-guest.ts';

const baseline: ProcessUsage = { cpuTimeMs: 100, residentBytes: 50_000_000 };

/** Returns the limit that ends a run whose guest behaves as in `behave` and whose process uses more at every check. */
async function limitReachedBy(
  more: { readonly cpuTimeMs?: number; readonly residentBytes?: number },
  behave: (watch: Watch) => void,
): Promise<EndingLimit> {
  const { promise, resolve } = Promise.withResolvers<EndingLimit>();
  let looks = 0;
  const watch = createWatch({
    compiledBytes: 0,
    baseline,
    readUsage() {
      looks++;
      return {
        cpuTimeMs: baseline.cpuTimeMs + looks * (more.cpuTimeMs ?? 0),
        residentBytes: baseline.residentBytes + looks * (more.residentBytes ?? 0),
      };
    },
    request: { limits: { ...limits, wallTimeMs: 3_600_000, cpuTimeMs: 1_000 } } as BoundedRequest,
    onLimit: resolve,
  });
  behave(watch);
  try {
    return await promise;
  } finally {
    watch.stop();
  }
}

test('a guest that claims to wait but computes still reaches its limits', async () => {
  const claim = (watch: Watch): void => watch.guestWaits();
  assert.equal(await limitReachedBy({ cpuTimeMs: 700 }, claim), 'cpu');
  assert.equal(await limitReachedBy({ residentBytes: 3_000_000 }, claim), 'memory');
});

test('a guest that computes reaches its limits', async () => {
  const compute = (watch: Watch): void => watch.guestIsBusy();
  assert.equal(await limitReachedBy({ cpuTimeMs: 700 }, compute), 'cpu');
  assert.equal(await limitReachedBy({ residentBytes: 3_000_000 }, compute), 'memory');
});

test('a guest that fills its memory as fast as possible is detected soon after its limit', async () => {
  vi.useFakeTimers();
  try {
    const bytesPerMs = 2_500_000;
    let reached: number | undefined;
    const watch = createWatch({
      compiledBytes: 0,
      baseline,
      readUsage: () => ({
        cpuTimeMs: baseline.cpuTimeMs,
        residentBytes: baseline.residentBytes + performance.now() * bytesPerMs,
      }),
      request: { limits: { ...limits, wallTimeMs: 3_600_000, memoryBytes: 64_000_000 } } as BoundedRequest,
      onLimit: (_, bytes) => (reached = bytes),
    });
    await vi.advanceTimersByTimeAsync(100);
    watch.stop();
    const allowed = 64_000_000 + 4 * 1_024 * 1_024;
    assert.ok(reached !== undefined && reached > allowed && reached <= allowed + 2 * bytesPerMs, `seen at ${reached}`);
  } finally {
    vi.useRealTimers();
  }
});
