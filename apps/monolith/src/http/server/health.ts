import type { BlobStore, Clock, Sandbox, CompleteStateStore } from '@ravi/kernel';

/** Health of an adapter. */
export interface AdapterHealth {
  readonly status: 'ok' | 'unavailable';
  /** Milliseconds that the check took. */
  readonly durationMs: number;
}

/** Options of {@link createHealthCheck}: the adapters that it checks. */
export interface HealthCheckOptions {
  readonly blobStore: BlobStore;
  readonly sandbox: Sandbox;
  readonly stateStore: CompleteStateStore | undefined;
  readonly clock: Clock;
}

/** Returns the health of each adapter by port, without error details. */
export type HealthCheck = () => Promise<Readonly<Record<string, AdapterHealth>>>;

// The check needs no authentication, and a write costs more than a read.
const writeIntervalMs = 5_000;
// The sweep removes the probe of a process that died in between.
const probe = {
  mediaType: 'text/plain',
  scope: { principal: 'health-check', sessionId: 'health-check' },
  ttlMs: 60_000,
};

/** Creates a cheap check of each adapter. The blob store has to store a byte, at most every five seconds. */
export function createHealthCheck({ blobStore, sandbox, stateStore, clock }: HealthCheckOptions): HealthCheck {
  async function measure(check: () => unknown): Promise<AdapterHealth> {
    const started = clock.monotonic();
    const status = await Promise.resolve()
      .then(check)
      .then(
        () => 'ok' as const,
        () => 'unavailable' as const,
      );
    return { status, durationMs: clock.monotonic() - started };
  }

  let written: { readonly at: number; readonly health: Promise<AdapterHealth> } | undefined;
  function blobStoreHealth(): Promise<AdapterHealth> {
    const now = clock.monotonic();
    if (written === undefined || now - written.at >= writeIntervalMs) {
      written = { at: now, health: measure(async () => blobStore.delete(await blobStore.store('.', probe))) };
    }
    return written.health;
  }

  return async () => {
    const checks: Record<string, Promise<AdapterHealth>> = {
      blobStore: blobStoreHealth(),
      sandbox: measure(() => sandbox.supports),
      ...(stateStore === undefined ? {} : { stateStore: measure(() => stateStore.runs.list({}, { limit: 1 })) }),
    };
    const checked = Object.entries(checks).map(async ([port, health]) => [port, await health] as const);
    return Object.fromEntries(await Promise.all(checked));
  };
}
