import { utf8Length } from '@ravi/support';
import type { PendingCall } from '../pending-call.ts';

/** A result that was stored. */
export interface StoredArtifact {
  readonly ref: string;
  readonly bytes: number;
}

/** Stores data for the session of this call, pinned until the session closes. @throws KernelError of the store */
export async function storeForSession(
  pending: PendingCall,
  data: Uint8Array | string,
  mediaType: string,
): Promise<StoredArtifact> {
  const { session, name: tool, scope } = pending;
  const ref = await session.storeArtifact(data, mediaType, { ...scope, tool });
  const bytes = typeof data === 'string' ? utf8Length(data) : data.byteLength;
  return { ref, bytes };
}
