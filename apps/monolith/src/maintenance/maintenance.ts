import type { Parts } from '../tokens.ts';
import { createAbandonedPins } from './abandoned-pins.ts';
import { startMessageRemoval } from './message-removal.ts';
import { startPacking } from './packing.ts';
import type { Repeated } from './repeat.ts';
import { startKeyRemoval } from './request-keys.ts';
import { startRetention } from './retention.ts';
import { startSweeper } from './sweeper.ts';
import { whileLeased } from './while-leased.ts';

/** Parts of a server that its maintenance works on. */
export type MaintainedParts = Pick<Parts, 'blobStore' | 'clock' | 'config' | 'durable' | 'logger'>;

const sweepIntervalMs = 600_000;

/**
 * Starts to sweep the blob store and, with a state store, to pack and remove old records of it. Of all processes that share the state
 * store one does so at a time. Each sweeps a blob store that only it can reach. It neither waits for the stores nor fails.
 */
export function startMaintenance(parts: MaintainedParts): AsyncDisposable {
  const { blobStore, durable, clock, logger } = parts;
  const isAlone = durable === undefined || blobStore.isPrivate === true;
  const jobs = new AsyncDisposableStack();
  if (isAlone) jobs.use(sweepBlobs(parts));
  if (durable === undefined) return jobs;
  const { store, process } = durable;
  jobs.use(
    whileLeased({
      leases: store.leases,
      name: 'maintenance',
      owner: process.id,
      start() {
        const shared = startSharedJobs(parts, durable);
        if (!isAlone) shared.use(sweepBlobs(parts));
        return shared;
      },
      clock,
      logger,
    }),
  );
  return jobs;
}

function sweepBlobs({ blobStore, durable, clock, logger }: MaintainedParts): Repeated {
  const runs = durable?.store.runs;
  return startSweeper({
    blobStore,
    sweepOptions: () => (runs === undefined ? {} : createAbandonedPins({ runs, clock, logger })),
    clock,
    logger,
    intervalMs: sweepIntervalMs,
  });
}

function startSharedJobs(
  { blobStore, config, clock, logger }: MaintainedParts,
  { store, recorder }: NonNullable<MaintainedParts['durable']>,
): AsyncDisposableStack {
  const jobs = new AsyncDisposableStack();
  jobs.use(startPacking({ retention: store.retention, clock, logger }));
  jobs.use(startKeyRemoval({ ...store, clock, logger }));
  const { maxAgeDays } = config.channels;
  if (maxAgeDays !== undefined) {
    jobs.use(startMessageRemoval({ channels: store.channels, maxAgeDays, clock, logger }));
  }
  const { enabled, ...ages } = config.retention;
  if (enabled) jobs.use(startRetention({ store, blobStore, recorder, clock, logger, ...ages }));
  return jobs;
}
