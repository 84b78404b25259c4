import type { BenchGroup } from './row.ts';

/** Groups in the order in which they run; each is loaded only when it runs. */
export const groups: Readonly<Record<string, () => Promise<BenchGroup>>> = {
  floors: async () => (await import('./floors/floors.ts')).benchFloors,
  invoker: async () => (await import('./invoker.ts')).benchInvoker,
  journal: async () => (await import('./journal.ts')).benchJournal,
  durable: async () => (await import('./durable.ts')).benchDurable,
  loop: async () => (await import('./loop/loop.ts')).benchLoop,
  sandboxes: async () => (await import('./sandboxes/sandboxes.ts')).benchSandboxes,
  'sandbox-alone': async () => (await import('./sandboxes/sandboxes.ts')).benchBareSandbox,
  transfers: async () => (await import('./sandboxes/sandboxes.ts')).benchTransfers,
  docker: async () => (await import('./sandboxes/sandboxes.ts')).benchDocker,
  memory: async () => (await import('./memory/memory.ts')).benchMemory,
  discovery: async () => (await import('./discovery.ts')).benchDiscovery,
  preflight: async () => (await import('./preflight.ts')).benchPreflight,
  decode: async () => (await import('./decode-streams.ts')).benchDecode,
  tokens: async () => (await import('./tokens/tokens.ts')).benchTokens,
  blobs: async () => (await import('./blobs.ts')).benchBlobs,
  s3: async () => (await import('./s3.ts')).benchS3,
};
