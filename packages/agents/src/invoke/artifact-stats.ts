import type { BlobStat } from '@ravi/kernel';
import type { PendingCall } from './pending-call.ts';

/** Looks up every artifact that the arguments name, once per set of arguments; the digest then counts their content. */
export async function loadArtifactStats(pending: PendingCall): Promise<ReadonlyMap<string, BlobStat | undefined>> {
  if (pending.artifactStats !== undefined) return pending.artifactStats;
  const stats = new Map<string, BlobStat | undefined>();
  const store = pending.runtime.artifactStore;
  for (const { ref } of pending.artifacts) {
    if (!stats.has(ref)) stats.set(ref, await store?.stat(ref));
  }
  pending.artifactStats = stats;
  return stats;
}
