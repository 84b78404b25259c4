import { setTimeout as pause } from 'node:timers/promises';
import { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { PutObjectCommandInput } from '@aws-sdk/client-s3';
import { KernelError } from '@ravi/kernel';
import type { BlobRef } from '@ravi/kernel';
import { parseRecord } from './blob-record.ts';
import type { BlobRecord } from './blob-record.ts';
import { guarded, isConditionFailed, unlessMissing } from './errors.ts';
import { addressOf } from './storage.ts';
import type { S3Storage } from './storage.ts';

/** Converts an ETag to the form that the server accepts in `If-Match`. */
export type WriteEntityTag = (entityTag: string) => string;

/** Records in the bucket. Every write is conditional, so no write overwrites another unseen. */
export interface RecordStore {
  read(ref: BlobRef): Promise<BlobRecord | undefined>;
  /** Returns true if there is a record, damaged or not. */
  has(ref: BlobRef): Promise<boolean>;
  /** Creates a record and returns its version; `undefined` if there is one already. */
  create(ref: BlobRef, record: BlobRecord): Promise<string | undefined>;
  /** Replaces `version` and returns the new version; `undefined` if the record has changed or is gone. */
  replace(ref: BlobRef, record: BlobRecord, version: string): Promise<string | undefined>;
  /**
   * Replaces the record with the result of `change`, again until no other write came between; `undefined` from `change`
   * keeps it. Returns the resulting record, `undefined` if there is none.
   */
  update(ref: BlobRef, change: (record: BlobRecord) => BlobRecord | undefined): Promise<BlobRecord | undefined>;
  /** Removes the record, if there is one. */
  remove(ref: BlobRef): Promise<void>;
}

interface StoredText {
  readonly text: string;
  readonly version: string;
}

/** Maximum attempts of an update: of several processes that change one record at once, one succeeds in each round. */
const maxRounds = 100;

/** Longest random pause before the next attempt, so that processes that collided do not collide again. */
const maxPauseMs = 50;

/** Creates access to the records of `storage`. */
export function createRecordStore(storage: S3Storage, writeEntityTag: WriteEntityTag): RecordStore {
  const { client, encryption } = storage;
  const serialize = serializedByKey();

  async function readText(ref: BlobRef): Promise<StoredText | undefined> {
    return guarded('read a record', async () => {
      const response = await unlessMissing(client.send(new GetObjectCommand(addressOf(storage, 'records', ref))));
      if (response?.Body === undefined) return undefined;
      return { text: await response.Body.transformToString('utf8'), version: response.ETag ?? '' };
    });
  }

  async function write(
    ref: BlobRef,
    record: BlobRecord,
    condition: Pick<PutObjectCommandInput, 'IfMatch' | 'IfNoneMatch'>,
  ): Promise<string | undefined> {
    const text = JSON.stringify(record);
    const address = addressOf(storage, 'records', ref);
    const put = new PutObjectCommand({
      ...address,
      ...encryption,
      ...condition,
      ContentType: 'application/json',
      Body: text,
    });
    const version = await guarded('write a record', async () => {
      try {
        return (await client.send(put)).ETag ?? '';
      } catch (error) {
        if (isConditionFailed(error)) return undefined;
        throw error;
      }
    });
    if (version !== undefined) return version;
    // The SDK retries when a response is lost: then the condition fails because of our own first attempt.
    const current = await readText(ref);
    return current?.text === text ? current.version : undefined;
  }

  async function changeAlone(
    ref: BlobRef,
    change: (record: BlobRecord) => BlobRecord | undefined,
  ): Promise<BlobRecord | undefined> {
    for (let round = 0; round < maxRounds; round += 1) {
      const current = await readText(ref);
      if (current === undefined) return undefined;
      const record = parseRecord(current.text, ref);
      const next = change(record);
      if (next === undefined) return record;
      if ((await records.replace(ref, next, current.version)) !== undefined) return next;
      await pause(Math.random() * maxPauseMs);
    }
    const message = `The blob store cannot change a record: other writers changed it during each of ${maxRounds} attempts`;
    throw new KernelError('E_BLOB_UNAVAILABLE', message, { retryable: true });
  }

  const records: RecordStore = {
    async read(ref) {
      const current = await readText(ref);
      return current === undefined ? undefined : parseRecord(current.text, ref);
    },

    async has(ref) {
      const head = new HeadObjectCommand(addressOf(storage, 'records', ref));
      return (await guarded('look for a record', () => unlessMissing(client.send(head)))) !== undefined;
    },

    create: (ref, record) => write(ref, record, { IfNoneMatch: '*' }),

    replace: (ref, record, version) => write(ref, record, { IfMatch: writeEntityTag(version) }),

    update: (ref, change) => serialize(ref, () => changeAlone(ref, change)),

    async remove(ref) {
      await guarded('remove a record', () => client.send(new DeleteObjectCommand(addressOf(storage, 'records', ref))));
    },
  };
  return records;
}

/** Returns a function that runs the work of one key one after the other and that of different keys at once. */
function serializedByKey(): <Value>(key: string, work: () => Promise<Value>) => Promise<Value> {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const current = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, current);
    const forget = (): void => {
      if (last.get(key) === current) last.delete(key);
    };
    current.then(forget, forget);
    return current;
  };
}
