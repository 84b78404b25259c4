import type { BlobRef, BlobStore, Clock, Principal, StoreOptions } from '@ravi/kernel';
import { utf8Length } from '@ravi/support';
import { problem } from '../core/problem.ts';
import { passChunks } from './pass-chunks.ts';

/** Limit of the artifacts of single tool calls and uploads, which outlive their session. */
export interface ArtifactQuota {
  /** Store of the process. It counts the artifacts with a time to live, and refuses those of a principal at its limit. */
  readonly store: BlobStore;
  /** Throws if the principal is at its limit, or would pass it with `more` bytes. @throws KernelError `E_ARTIFACT_QUOTA` */
  check(principal: Principal, more?: number): void;
}

/** Options of {@link createArtifactQuota}. */
export interface ArtifactQuotaOptions {
  readonly blobStore: BlobStore;
  /**
   * Bytes of one principal; an artifact counts as 4 096 at least. The result that reaches the limit is still stored; a stream
   * that passes it is not.
   */
  readonly maxBytes: number;
  readonly clock: Clock;
}

interface Held {
  readonly principal: Principal;
  readonly bytes: number;
  readonly expiresAt: number;
}

// An empty artifact also costs files, memory and a place in each sweep.
const minBytes = 4_096;

/**
 * Creates the limit of a process. It counts from the start of the process, because a blob store cannot list its blobs;
 * artifacts of an earlier process expire without being counted.
 */
export function createArtifactQuota({ blobStore, maxBytes, clock }: ArtifactQuotaOptions): ArtifactQuota {
  // In the order in which they expire, because all of them live for the same time.
  const heldBy = new Map<BlobRef, Held>();
  // In the same order.
  const refsOf = new Map<Principal, Set<BlobRef>>();
  const bytesOf = new Map<Principal, number>();

  function add(principal: Principal, bytes: number): void {
    const sum = (bytesOf.get(principal) ?? 0) + bytes;
    if (sum > 0) bytesOf.set(principal, sum);
    else bytesOf.delete(principal);
  }

  function hold(ref: BlobRef, held: Held): void {
    const refs = refsOf.get(held.principal) ?? new Set();
    refsOf.set(held.principal, refs.add(ref));
    heldBy.set(ref, held);
  }

  function release(ref: BlobRef): void {
    const held = heldBy.get(ref);
    if (held === undefined) return;
    heldBy.delete(ref);
    const refs = refsOf.get(held.principal);
    refs?.delete(ref);
    if (refs?.size === 0) refsOf.delete(held.principal);
    add(held.principal, -held.bytes);
  }

  function releaseExpired(): void {
    const now = clock.now();
    for (const [ref, { expiresAt }] of heldBy) {
      if (expiresAt > now) return;
      release(ref);
    }
  }

  function check(principal: Principal, more = 0): void {
    releaseExpired();
    const bytes = bytesOf.get(principal) ?? 0;
    if (bytes < maxBytes && bytes + more <= maxBytes) return;
    const added = more === 0 ? '' : `, and ${more} more would exceed it`;
    const [oldest] = refsOf.get(principal) ?? [];
    const first = oldest === undefined ? undefined : heldBy.get(oldest);
    throw problem(
      'E_ARTIFACT_QUOTA',
      `${principal} holds ${bytes} bytes of artifacts of tool calls and uploads, each counted as at least ${minBytes}; the limit of server.maxArtifactBytes is ${maxBytes}${added}. Delete some, or wait until they expire`,
      first === undefined ? undefined : Math.max(1, first.expiresAt - clock.now()),
    );
  }

  // Counted as it arrives, because its size is not known before.
  async function storeStream(
    data: ReadableStream<Uint8Array>,
    options: StoreOptions & { readonly ttlMs: number },
  ): Promise<BlobRef> {
    const { principal } = options.scope;
    check(principal, minBytes);
    let bytes = 0;
    let counted = minBytes;
    add(principal, counted);
    const onChunk = (chunk: unknown): void => {
      bytes += chunk instanceof Uint8Array ? chunk.byteLength : 0;
      const more = bytes - counted;
      if (more <= 0) return;
      check(principal, more);
      add(principal, more);
      counted = bytes;
    };
    try {
      const ref = await blobStore.store(passChunks(data, { onChunk }), options);
      hold(ref, { principal, bytes: counted, expiresAt: clock.now() + options.ttlMs });
      return ref;
    } catch (error) {
      add(principal, -counted);
      throw error;
    }
  }

  const store: BlobStore = {
    resolve: (ref) => blobStore.resolve(ref),
    open: (ref, range) => blobStore.open(ref, range),
    stat: (ref) => blobStore.stat(ref),
    pin: (ref, owner) => blobStore.pin(ref, owner),
    unpin: (ref, owner) => blobStore.unpin(ref, owner),
    sweep: (now) => blobStore.sweep(now),
    async store(data, options) {
      const { scope, ttlMs } = options;
      if (ttlMs === undefined) return blobStore.store(data, options);
      const { principal } = scope;
      check(principal);
      if (data instanceof ReadableStream) return storeStream(data, { ...options, ttlMs });
      const bytes = Math.max(minBytes, typeof data === 'string' ? utf8Length(data) : data.byteLength);
      // Before it is stored, so that calls at the same time do not pass the limit together.
      add(principal, bytes);
      try {
        const ref = await blobStore.store(data, options);
        hold(ref, { principal, bytes, expiresAt: clock.now() + ttlMs });
        return ref;
      } catch (error) {
        add(principal, -bytes);
        throw error;
      }
    },
    async delete(ref) {
      await blobStore.delete(ref);
      release(ref);
    },
  };
  return { store, check };
}
