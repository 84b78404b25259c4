import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { KernelError } from '@ravi/kernel';
import type { ArtifactStream, BlobRange, BlobStat, BlobStore } from '@ravi/kernel';

/** Content of an artifact as it was when its call was checked and approved. */
export type CheckedArtifact = Pick<BlobStat, 'ref' | 'mediaType' | 'bytes' | 'sha256'>;

/**
 * Reads an artifact and compares it with the SHA-256 that the gates, and an approver, have seen.
 * @throws KernelError `E_BLOB_CORRUPT` if the content differs; those of the store
 */
export async function readVerified(store: BlobStore, { ref, sha256: expected }: CheckedArtifact): Promise<Uint8Array> {
  const bytes = await store.resolve(ref);
  // The digest takes a plain buffer, which the content of every store is.
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
  if (bytesToHex(new Uint8Array(digest)) !== expected) throw changed(ref);
  return bytes;
}

/**
 * Checks that an artifact still exists and has the SHA-256 that the gates have seen.
 * @throws KernelError `E_BLOB_NOT_FOUND`, `E_BLOB_CORRUPT`; those of the store
 */
async function requireUnchanged(store: BlobStore, { ref, sha256: expected }: CheckedArtifact): Promise<void> {
  const stat = await store.stat(ref);
  if (stat === undefined) throw new KernelError('E_BLOB_NOT_FOUND', `There is no artifact ${ref}`);
  if (stat.sha256 !== expected) throw changed(ref);
}

/**
 * Returns an artifact as a stream that the tool opens. Every `open` compares the stored SHA-256 with the one that the gates
 * have seen, and a complete read compares the content too: it fails at its end with `E_BLOB_CORRUPT` if it differs.
 * @throws KernelError as `open`
 */
export async function streamOf(store: BlobStore, checked: CheckedArtifact): Promise<ArtifactStream> {
  await requireUnchanged(store, checked);
  const { ref, mediaType, bytes } = checked;
  const open: ArtifactStream['open'] = async (range = {}) => {
    await requireUnchanged(store, checked);
    const content = await store.open(ref, range);
    return isWhole(range, bytes) ? content.pipeThrough(verifier(checked)) : content;
  };
  return Object.freeze({ ref, mediaType, bytes, open });
}

function isWhole({ offset = 0, length = Infinity }: BlobRange, bytes: number): boolean {
  return offset === 0 && length >= bytes;
}

function verifier({ ref, sha256: expected }: CheckedArtifact): TransformStream<Uint8Array, Uint8Array> {
  const hash = sha256.create();
  return new TransformStream({
    transform(chunk, controller) {
      hash.update(chunk);
      controller.enqueue(chunk);
    },
    flush() {
      if (bytesToHex(hash.digest()) !== expected) throw changed(ref);
    },
  });
}

function changed(ref: string): KernelError {
  return new KernelError('E_BLOB_CORRUPT', `The content of the artifact ${ref} has changed since it was checked`);
}
