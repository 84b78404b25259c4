import { KernelError } from '@ravi/kernel';
import type { BlobStore } from '@ravi/kernel';
import type { FrameworkRun, GatewayArtifact } from './gateway-types.ts';

/** Reads an artifact that belongs to the conversation of a run. */
export async function readArtifact(
  store: BlobStore | undefined,
  { runId, sessionId = runId, principal = 'local' }: FrameworkRun,
  ref: string,
): Promise<GatewayArtifact> {
  const stat = await store?.stat(ref);
  if (store === undefined || stat === undefined)
    throw new KernelError('E_BLOB_NOT_FOUND', `There is no artifact ${ref}`);
  if (stat.scope.principal !== principal || stat.scope.sessionId !== sessionId) {
    throw new KernelError('E_ARTIFACT_FORBIDDEN', `The artifact ${ref} belongs to another conversation`);
  }
  return { ref, mediaType: stat.mediaType, bytes: await store.resolve(ref) };
}
