import type { Principal } from '../base/run-context.ts';

/** Opaque, unguessable reference to stored bytes. Neither a path nor a URL. */
export type BlobRef = string;

/** Session that created a blob, the only one that may read it. */
export interface BlobScope {
  readonly principal: Principal;
  readonly sessionId: string;
}

/** Origin of a blob, for the people who see it. The store keeps it unchanged and does not judge it. */
export interface BlobOrigin {
  /** Name of the file, as its creator chose it. Not yet safe as the name of a download. */
  readonly name?: string;
  /** Tool whose call made it. Absent for blobs of scripts, models and uploads. */
  readonly tool?: string;
  /** Run in which it was made. */
  readonly runId?: string;
}

/** Metadata of a blob. */
export interface BlobStat extends BlobOrigin {
  readonly ref: BlobRef;
  readonly mediaType: string;
  readonly bytes: number;
  /** Lower-case hexadecimal SHA-256 of the content. */
  readonly sha256: string;
  readonly scope: BlobScope;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Milliseconds since the Unix epoch; absent when the blob has no expiry. */
  readonly expiresAt?: number;
  /** Number of owners that pin it now. */
  readonly pins: number;
}

/** Options of {@link BlobStore.store}. */
export interface StoreOptions extends BlobOrigin {
  /** IANA media type; text is UTF-8. */
  readonly mediaType: string;
  readonly scope: BlobScope;
  /** Milliseconds from now until the blob expires, pinned or not. */
  readonly ttlMs?: number;
  /** Pins the blob for this owner in the same step, so that no `sweep` runs between the write and the pin. */
  readonly pinOwner?: string;
  /** Aborts the write. Nothing of it stays visible. */
  readonly signal?: AbortSignal;
}

/** Byte range of {@link BlobStore.open}. The part past the end of the blob is ignored. */
export interface BlobRange {
  /** First byte. Default 0. */
  readonly offset?: number;
  /** Number of bytes. Default: up to the end. */
  readonly length?: number;
}

/** The read methods of a {@link BlobStore}, which is all that a tool receives. */
export interface BlobReader {
  /** Returns all bytes after verifying them against the stored SHA-256. @throws KernelError `E_BLOB_NOT_FOUND`, `E_BLOB_CORRUPT`, `E_BLOB_UNAVAILABLE` */
  resolve(ref: BlobRef): Promise<Uint8Array>;
  /**
   * Returns the bytes as a stream, which is verified, also that of a range: it fails before its last byte if they are corrupt.
   * @throws KernelError as {@link BlobReader.resolve}
   */
  open(ref: BlobRef, range?: BlobRange): Promise<ReadableStream<Uint8Array>>;
  /** Returns `undefined` for a ref that is unknown, malformed or expired. */
  stat(ref: BlobRef): Promise<BlobStat | undefined>;
}

/**
 * Stores large results, so that messages carry only refs. Stored bytes never change, and a crash at any point leaves no
 * partly written blob visible. An unpinned blob exists until the next `sweep`; an expired one is unreadable at once.
 */
export interface BlobStore extends BlobReader {
  /** True if only this process can reach the blobs, such as those in memory, so that no other process sweeps them. */
  readonly isPrivate?: boolean;
  /**
   * Stores a copy, so later changes to the buffer have no effect. A string is stored as UTF-8.
   * @throws KernelError `E_BLOB_UNAVAILABLE` when the storage refuses (no space, no permission), `E_BLOB_TOO_LARGE` over a limit,
   * `E_CANCELLED` when `signal` aborts
   */
  store(data: Uint8Array | string | ReadableStream<Uint8Array>, options: StoreOptions): Promise<BlobRef>;
  /** Protects the blob from `sweep` until the same owner unpins it. Idempotent per owner. @throws KernelError `E_BLOB_NOT_FOUND` */
  pin(ref: BlobRef, owner: string): Promise<void>;
  /** Removes the pin of this owner. Does nothing if there is none. */
  unpin(ref: BlobRef, owner: string): Promise<void>;
  /** Removes the blob now, even if it is pinned. Does nothing if it is already gone. */
  delete(ref: BlobRef): Promise<void>;
  /** Removes blobs that are expired or unpinned at `now` (milliseconds since the Unix epoch), and leftovers of a crash. */
  sweep(now: number, options?: SweepOptions): Promise<SweepReport>;
}

/** Options of {@link BlobStore.sweep}. */
export interface SweepOptions {
  /**
   * Returns true if this owner will not unpin any more, because its process was killed and its work is over. Its pins
   * are removed first. Not called for owners whose names the store does not keep: those longer than 100 characters or with
   * others than printable ASCII.
   */
  isAbandoned?(owner: string): boolean | Promise<boolean>;
}

/** Result of {@link BlobStore.sweep}. */
export interface SweepReport {
  readonly removed: number;
  readonly kept: number;
  /** Number of bytes freed. */
  readonly freedBytes: number;
}
