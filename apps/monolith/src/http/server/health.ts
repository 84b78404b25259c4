import { isKernelError } from '@ravi/kernel';
import type { BlobStore, Clock, CompleteStateStore, Logger, Sandbox } from '@ravi/kernel';
import { errorText } from '@ravi/support';

/** Health of an adapter. */
export interface AdapterHealth {
  readonly status: 'ok' | 'unavailable';
  /** Milliseconds that the check took. */
  readonly durationMs: number;
  /** Reason for which the state store is unavailable. */
  readonly reason?: string;
}

/** Options of {@link createHealthCheck}: the adapters that it checks. */
export interface HealthCheckOptions {
  readonly blobStore: BlobStore;
  readonly sandbox: Sandbox;
  readonly stateStore: CompleteStateStore | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Returns the health of each adapter by port. Of errors it has only the message of the state store, which names no internals. */
export type HealthCheck = () => Promise<Readonly<Record<string, AdapterHealth>>>;

// The check needs no authentication, and a write costs more than a read.
const writeIntervalMs = 5_000;
// The sweep removes the probe of a process that died in between.
const probe = {
  mediaType: 'text/plain',
  scope: { principal: 'health-check', sessionId: 'health-check' },
  ttlMs: 60_000,
};
// Their messages are made for callers.
const shownCodes: ReadonlySet<string> = new Set(['E_STATE_UNAVAILABLE', 'E_STATE_CORRUPT']);

/**
 * Creates a cheap check of each adapter. The blob store has to store a byte, and the state store 64 KiB, at most every five
 * seconds. A change of the state store's health is logged with its cause.
 */
export function createHealthCheck(options: HealthCheckOptions): HealthCheck {
  const { blobStore, sandbox, stateStore, clock, logger } = options;

  async function measure(check: () => unknown, onError?: (error: unknown) => string): Promise<AdapterHealth> {
    const started = clock.monotonic();
    const took = (): number => clock.monotonic() - started;
    try {
      await check();
      return { status: 'ok', durationMs: took() };
    } catch (error) {
      const reason = onError?.(error);
      return { status: 'unavailable', durationMs: took(), ...(reason === undefined ? {} : { reason }) };
    }
  }

  const checkBlobs = atMostEvery(writeIntervalMs, clock, () =>
    measure(async () => blobStore.delete(await blobStore.store('.', probe))),
  );

  const checkStorage = atMostEvery(writeIntervalMs, clock, async (): Promise<Error | undefined> => {
    try {
      await stateStore?.check?.();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(errorText(error));
    }
  });

  let lastReason: string | undefined;
  async function checkState(store: CompleteStateStore): Promise<AdapterHealth> {
    let failure: unknown;
    const check = async (): Promise<void> => {
      await store.runs.list({}, { limit: 1 });
      const found = await checkStorage();
      if (found !== undefined) throw found;
    };
    const health = await measure(check, (error) => {
      failure = error;
      return isKernelError(error) && shownCodes.has(error.code) ? error.message : 'The state store failed';
    });
    const { reason } = health;
    if (reason !== lastReason) {
      if (reason === undefined) logger.info('the state store can be used again');
      else logger.error('the state store cannot be used', { error: failure });
    }
    lastReason = reason;
    return health;
  }

  return async () => {
    const checks: Record<string, Promise<AdapterHealth>> = {
      blobStore: checkBlobs(),
      sandbox: measure(() => sandbox.supports),
      ...(stateStore === undefined ? {} : { stateStore: checkState(stateStore) }),
    };
    const checked = Object.entries(checks).map(async ([port, health]) => [port, await health] as const);
    return Object.fromEntries(await Promise.all(checked));
  };
}

/** Returns a function that does some work, or returns its last result if that is younger than `intervalMs`. */
function atMostEvery<Result>(intervalMs: number, clock: Clock, work: () => Promise<Result>): () => Promise<Result> {
  let last: { readonly at: number; readonly result: Promise<Result> } | undefined;
  return () => {
    const now = clock.monotonic();
    if (last === undefined || now - last.at >= intervalMs) last = { at: now, result: work() };
    return last.result;
  };
}
