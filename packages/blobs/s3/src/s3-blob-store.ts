import {
  abandonInput,
  blobNotFound,
  clipRange,
  createBlobRef,
  describeBlob,
  isBlobRef,
  pinNameOf,
  pinNamesOf,
  readChunks,
} from '@ravi/blob-kit';
import { KernelError, systemClock } from '@ravi/kernel';
import type { BlobRef, BlobStore, Clock } from '@ravi/kernel';
import { isVisible } from './blob-record.ts';
import type { StoredRecord } from './blob-record.ts';
import { checkConditions } from './check-conditions.ts';
import { connect } from './connection.ts';
import type { S3ConnectionOptions } from './connection.ts';
import { encryptionParameters } from './storage.ts';
import type { S3Encryption, S3Storage } from './storage.ts';
import { createPartMemory } from './part-memory.ts';
import { presignRead } from './presign-read.ts';
import type { PresignedRead, PresignOptions } from './presign-read.ts';
import { openContent, readContent } from './read-content.ts';
import { createRecordStore } from './record-store.ts';
import type { RecordStore } from './record-store.ts';
import { removeBlob, storeBlob } from './store-blob.ts';
import { sweep } from './sweep.ts';

/** Options of {@link createS3BlobStore}. */
export interface S3BlobStoreOptions extends S3ConnectionOptions {
  /** An existing bucket. */
  readonly bucket: string;
  /** Prefix of every key, for example `ravi/`. Nothing outside of it is read or written. */
  readonly prefix?: string;
  readonly encryption?: S3Encryption;
  /** Bytes per part of an upload, at least 5 MiB; a blob has at most 10 000 parts. 8 MiB by default. */
  readonly partBytes?: number;
  /** Maximum number of parts of one blob in flight; 3 by default. One more part is held in memory. */
  readonly partsAtOnce?: number;
  /**
   * Milliseconds after which `sweep` removes an unfinished write of another process that makes no progress; one hour by
   * default.
   */
  readonly orphanAgeMs?: number;
  /** Decides when a blob expires; the system clock by default. */
  readonly clock?: Pick<Clock, 'now'>;
}

/** Blob store in a bucket. Disposing it closes its connections. */
export interface S3BlobStore extends BlobStore, AsyncDisposable {
  /**
   * Returns a URL that serves the bytes to any holder, as a download of the stored media type. The bucket's server does not
   * verify them: compare what arrives with the returned checksum. The URL ends with the blob and cannot be revoked earlier.
   * @throws KernelError `E_BLOB_NOT_FOUND`, `E_BLOB_UNAVAILABLE`
   */
  presignRead(ref: BlobRef, options: PresignOptions): Promise<PresignedRead>;
}

/** Default of `partBytes`: 8 MiB. */
export const defaultPartBytes: number = 8 * 1024 * 1024;

/** Default of `partsAtOnce`. */
export const defaultPartsAtOnce = 3;

/** Default of `orphanAgeMs`: one hour. */
export const defaultOrphanAgeMs = 3_600_000;

/**
 * Opens a blob store in a bucket, which several processes may share. It keeps all of its state there and needs no
 * database. A stream of `open` holds a connection: read it to its end or cancel it.
 * @throws KernelError `E_CONFIG_INVALID` if the bucket is missing or its server ignores conditional writes,
 * `E_BLOB_UNAVAILABLE` if the bucket cannot be used now
 */
export async function createS3BlobStore(options: S3BlobStoreOptions): Promise<S3BlobStore> {
  const { bucket, prefix = '', clock = systemClock, orphanAgeMs = defaultOrphanAgeMs } = options;
  const { partBytes = defaultPartBytes, partsAtOnce = defaultPartsAtOnce } = options;
  const storage: S3Storage = {
    client: connect(options),
    bucket,
    prefix,
    encryption: encryptionParameters(options.encryption),
  };
  const records = await openRecords(storage, clock.now());
  const writing = new Set<BlobRef>();
  const memory = createPartMemory(partBytes);

  async function find(ref: BlobRef): Promise<StoredRecord | undefined> {
    if (!isBlobRef(ref)) return undefined;
    const record = await records.read(ref);
    return isVisible(record, clock.now()) ? record : undefined;
  }

  async function existing(ref: BlobRef): Promise<StoredRecord> {
    const record = await find(ref);
    if (record === undefined) throw blobNotFound(ref);
    return record;
  }

  return {
    async store(data, storeOptions) {
      const { pinOwner, signal } = storeOptions;
      const chunks = readChunks(data, signal);
      const description = describeBlob(createBlobRef(), storeOptions, clock.now());
      const { ref } = description;
      writing.add(ref);
      try {
        const limits = { partBytes, partsAtOnce, orphanAgeMs, memory };
        await storeBlob({ storage, records, description, chunks, pinOwner, signal, clock, ...limits });
        return ref;
      } catch (error) {
        abandonInput(data, error);
        throw error;
      } finally {
        writing.delete(ref);
      }
    },

    async resolve(ref) {
      const content = await readContent(storage, (await existing(ref)).metadata);
      if (content === undefined) throw blobNotFound(ref);
      return content;
    },

    async open(ref, range = {}) {
      const record = await existing(ref);
      const content = await openContent(storage, record, clipRange(range, record.metadata.bytes));
      if (content === undefined) throw blobNotFound(ref);
      return content;
    },

    async stat(ref) {
      const record = await find(ref);
      return record && { ...record.metadata, pins: record.pins.length };
    },

    async pin(ref, owner) {
      if (!isBlobRef(ref)) throw blobNotFound(ref);
      const pin = pinNameOf(owner);
      const record = await records.update(ref, (found) =>
        isVisible(found, clock.now()) && !found.pins.includes(pin)
          ? { ...found, pins: [...found.pins, pin] }
          : undefined,
      );
      if (!isVisible(record, clock.now())) throw blobNotFound(ref);
    },

    async unpin(ref, owner) {
      if (!isBlobRef(ref)) return;
      const names = pinNamesOf(owner);
      await records.update(ref, (found) =>
        found.state === 'stored' && found.pins.some((pin) => names.includes(pin))
          ? { ...found, pins: found.pins.filter((pin) => !names.includes(pin)) }
          : undefined,
      );
    },

    async delete(ref) {
      if (isBlobRef(ref)) await removeBlob(storage, records, ref);
    },

    sweep: (now, sweepOptions = {}) => sweep({ storage, records, now, orphanAgeMs, writing, options: sweepOptions }),

    async presignRead(ref, presignOptions) {
      return presignRead(storage, (await existing(ref)).metadata, { ...presignOptions, now: clock.now() });
    },

    [Symbol.asyncDispose]: async () => storage.client.destroy(),
  };
}

/** Opens the records of a bucket, or closes the client if they cannot be used. */
async function openRecords(storage: S3Storage, now: number): Promise<RecordStore> {
  try {
    await requireRegion(() => storage.client.config.region());
    return createRecordStore(storage, await checkConditions(storage, now));
  } catch (error) {
    storage.client.destroy();
    throw error;
  }
}

async function requireRegion(region: () => Promise<string>): Promise<void> {
  try {
    await region();
  } catch (error) {
    const message = 'The S3 blob store has no region: set the option "region" or the environment variable AWS_REGION';
    throw new KernelError('E_CONFIG_INVALID', message, { cause: error });
  }
}
