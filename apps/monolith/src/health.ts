import type { BlobStore, Clock, Sandbox, StateStore } from '@ravi/kernel';

/** How an adapter is at present. */
export interface AdapterHealth {
  readonly status: 'ok' | 'unavailable';
  /** Milliseconds that its answer took. */
  readonly durationMs: number;
}

/** Adapters that can be asked. */
export interface CheckedAdapters {
  readonly blobStore: BlobStore;
  readonly sandbox: Sandbox;
  readonly stateStore?: StateStore;
}

// Well formed and of nobody.
const unknownRef = 'health-check';

/** Asks each adapter for something cheap. What it says in detail stays inside. */
export async function checkHealth(
  { blobStore, sandbox, stateStore }: CheckedAdapters,
  clock: Clock,
): Promise<Readonly<Record<string, AdapterHealth>>> {
  const checks: Record<string, () => unknown> = {
    blobStore: () => blobStore.stat(unknownRef),
    sandbox: () => sandbox.supports,
    ...(stateStore === undefined ? {} : { stateStore: () => stateStore.runs.list({}, { limit: 1 }) }),
  };
  const checked = Object.entries(checks).map(async ([port, check]) => {
    const started = clock.monotonic();
    const status = await Promise.resolve()
      .then(check)
      .then(
        () => 'ok' as const,
        () => 'unavailable' as const,
      );
    return [port, { status, durationMs: clock.monotonic() - started }] as const;
  });
  return Object.fromEntries(await Promise.all(checked));
}
