import type { Principal } from '../base/run-context.ts';

/** An opaque, unguessable reference to stored bytes. Not a path and not a URL. */
export type BlobRef = string;

/** Who may read a blob: the session that made it. */
export interface BlobScope {
  readonly principal: Principal;
  readonly sessionId: string;
}

/** What is known of a blob without reading it. */
export interface BlobStat {
  readonly ref: BlobRef;
  readonly mediaType: string;
  readonly bytes: number;
  /** Lower-case hexadecimal SHA-256 of the content. */
  readonly sha256: string;
  readonly scope: BlobScope;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Milliseconds since the Unix epoch; absent when the blob does not expire by itself. */
  readonly expiresAt?: number;
  /** How many owners pin it now. */
  readonly pins: number;
}

/** Options of {@link BlobStore.store}. */
export interface StoreOptions {
  /** IANA media type; text is UTF-8. */
  readonly mediaType: string;
  readonly scope: BlobScope;
  /** Milliseconds from now until the blob expires, pinned or not. */
  readonly ttlMs?: number;
  /** Pins it for this owner in the same step, so that no `sweep` falls between the write and the pin. */
  readonly pinOwner?: string;
  /** Abandons the write; nothing of it stays visible. */
  readonly signal?: AbortSignal;
}

/** A byte range of {@link BlobStore.open}; past the end it is cut. */
export interface BlobRange {
  /** First byte, 0 when absent. */
  readonly offset?: number;
  /** Number of bytes, to the end when absent. */
  readonly length?: number;
}

/** The reading half of a {@link BlobStore}: all that a tool gets. */
export interface BlobReader {
  /** All bytes, verified against the stored SHA-256. @throws KernelError `E_BLOB_NOT_FOUND`, `E_BLOB_CORRUPT`, `E_BLOB_UNAVAILABLE` */
  resolve(ref: BlobRef): Promise<Uint8Array>;
  /**
   * The bytes as a stream. A whole read is verified and fails at its end when the content is corrupt;
   * a range cannot be. @throws KernelError as {@link BlobReader.resolve}
   */
  open(ref: BlobRef, range?: BlobRange): Promise<ReadableStream<Uint8Array>>;
  /** `undefined` for a ref that is unknown, malformed or expired. */
  stat(ref: BlobRef): Promise<BlobStat | undefined>;
}

/**
 * Keeps large results so that only refs travel. Stored bytes never change; a crash at any point leaves no
 * half-written blob visible. An unpinned blob lives until `sweep`; an expired one is gone for readers at once.
 */
export interface BlobStore extends BlobReader {
  /**
   * Stores a copy: changing the buffer afterwards changes nothing. A string is stored as UTF-8.
   * @throws KernelError `E_BLOB_UNAVAILABLE` when the medium refuses (no space, no permission), `E_BLOB_TOO_LARGE` over a limit,
   * `E_CANCELLED` when `signal` aborts
   */
  store(data: Uint8Array | string | ReadableStream<Uint8Array>, options: StoreOptions): Promise<BlobRef>;
  /** Keeps the blob from `sweep` until the same owner unpins it. Idempotent per owner. @throws KernelError `E_BLOB_NOT_FOUND` */
  pin(ref: BlobRef, owner: string): Promise<void>;
  /** Takes the pin of this owner back; no error when there was none. */
  unpin(ref: BlobRef, owner: string): Promise<void>;
  /** Removes the blob now, pinned or not; no error when it is gone already. */
  delete(ref: BlobRef): Promise<void>;
  /** Removes what is expired or unpinned at `now` (milliseconds since the epoch), and what a crash left. */
  sweep(now: number): Promise<SweepReport>;
}

/** What a {@link BlobStore.sweep} did. */
export interface SweepReport {
  readonly removed: number;
  readonly kept: number;
  /** Bytes given back. */
  readonly freedBytes: number;
}
