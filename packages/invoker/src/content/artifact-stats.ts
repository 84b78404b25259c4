import { isKernelError } from '@ravi/kernel';
import type { BlobStat, KernelErrorCode } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import type { PendingCall } from '../pending-call.ts';
import { stopWithError } from '../error-results.ts';
import type { GateStop } from '../error-results.ts';
import type { ArtifactOwner } from '../scope/session-artifacts.ts';

/**
 * Looks up every artifact that the arguments name, once per set of arguments; from then on the digest covers their
 * content. Returns a refusal if an artifact does not exist or belongs to another session, and if the store fails.
 */
export async function loadArtifactStats(pending: PendingCall): Promise<GateStop | undefined> {
  if (pending.artifactStats !== undefined) return undefined;
  const stats = new Map<string, BlobStat>();
  const store = pending.runtime.artifactStore;
  for (const { ref } of pending.artifacts) {
    if (stats.has(ref)) continue;
    let stat: BlobStat | undefined;
    try {
      stat = await store?.stat(ref);
    } catch (error) {
      return stopUnreadable(pending, ref, error);
    }
    const problem = problemOfArtifact(ref, stat, pending.session);
    if (problem !== undefined) return stopWithError(problem.code, problem.message);
    if (stat !== undefined) stats.set(ref, stat);
  }
  pending.artifactStats = stats;
  return undefined;
}

/** Returns why a session may not use an artifact, `undefined` if it may. Without `stat` the artifact does not exist. */
export function problemOfArtifact(
  ref: string,
  stat: BlobStat | undefined,
  session: Pick<ArtifactOwner, 'owns'>,
): { readonly code: KernelErrorCode; readonly message: string } | undefined {
  if (stat === undefined) return { code: 'E_BLOB_NOT_FOUND', message: `There is no artifact ${ref.slice(0, 128)}` };
  if (session.owns(stat.scope)) return undefined;
  return { code: 'E_ARTIFACT_FORBIDDEN', message: `The artifact ${ref} belongs to another session` };
}

/** Builds a refusal for an artifact that the store could not read, with the code and the message of the store. */
export function stopUnreadable(pending: PendingCall, ref: string, error: unknown): GateStop {
  const about = `The artifact ${ref} cannot be read`;
  if (isKernelError(error)) {
    const { code, message, retryable } = error;
    return stopWithError(code, `${about}: ${pending.runtime.scrub(message)}`, { retryable });
  }
  pending.runtime.logger.error('artifact store failed', { tool: pending.name, error: errorText(error) });
  return stopWithError('E_BLOB_UNAVAILABLE', about);
}
