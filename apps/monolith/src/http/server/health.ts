import type { BlobStore, Clock, Sandbox, StateStore } from '@ravi/kernel';

/** How an adapter is at present. */
export interface AdapterHealth {
  readonly status: 'ok' | 'unavailable';
  /** Milliseconds that its answer took. */
  readonly durationMs: number;
}

/** Options of {@link createHealthCheck}: the adapters that it checks. */
export interface HealthCheckOptions {
  readonly blobStore: BlobStore;
  readonly sandbox: Sandbox;
  readonly stateStore: StateStore | undefined;
  readonly clock: Clock;
}

/** How each adapter is, by port. What it says in detail stays inside. */
export type HealthCheck = () => Promise<Readonly<Record<string, AdapterHealth>>>;

// Anybody may ask, as often as they like, and a write costs more than a question.
const writeIntervalMs = 5_000;
// A process that dies in between leaves it to the sweep.
const probe = {
  mediaType: 'text/plain',
  scope: { principal: 'health-check', sessionId: 'health-check' },
  ttlMs: 60_000,
};

/** Asks each adapter for something cheap; the blob store has to keep a byte, and is asked every five seconds at most. */
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
