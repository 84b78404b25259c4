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

/** An ETag in the form in which the server takes it back in `If-Match`. */
export type WriteEntityTag = (entityTag: string) => string;

/** The records in the bucket. Each write of one has a condition, so none is ever lost to another. */
export interface RecordStore {
  read(ref: BlobRef): Promise<BlobRecord | undefined>;
  /** Whether there is a record, damaged or not. */
  has(ref: BlobRef): Promise<boolean>;
  /** Makes a record where none is; gives its version, `undefined` when there is one. */
  create(ref: BlobRef, record: BlobRecord): Promise<string | undefined>;
  /** Writes over `version`; gives the new one, `undefined` when the record is another by now, or gone. */
  replace(ref: BlobRef, record: BlobRecord, version: string): Promise<string | undefined>;
  /**
   * Replaces the record by what `change` makes of it, again and again until nobody came between; `undefined` from
   * `change` leaves it. Gives the record as it then is, `undefined` when there is none.
   */
  update(ref: BlobRef, change: (record: BlobRecord) => BlobRecord | undefined): Promise<BlobRecord | undefined>;
  /** No error when there is none. */
  remove(ref: BlobRef): Promise<void>;
}

interface StoredText {
  readonly text: string;
  readonly version: string;
}

/** Processes that change one record at once get in each other's way: each round one of them comes through. */
const mostRounds = 100;

/** Longest pause before another round: those who met do not meet again. */
const mostPauseMs = 50;

/** Opens the records of `storage`. */
export function createRecordStore(storage: S3Storage, writeEntityTag: WriteEntityTag): RecordStore {
  const { client, encryption } = storage;
  const serialize = serializedByKey();

  async function readText(ref: BlobRef): Promise<StoredText | undefined> {
    return guarded('read a record', async () => {
      const answer = await unlessMissing(client.send(new GetObjectCommand(addressOf(storage, 'records', ref))));
      if (answer?.Body === undefined) return undefined;
      return { text: await answer.Body.transformToString('utf8'), version: answer.ETag ?? '' };
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
    // The SDK tries again when an answer is lost: then it is our own first try that is in the way.
    const current = await readText(ref);
    return current?.text === text ? current.version : undefined;
  }

  async function changeAlone(
    ref: BlobRef,
    change: (record: BlobRecord) => BlobRecord | undefined,
  ): Promise<BlobRecord | undefined> {
    for (let round = 0; round < mostRounds; round += 1) {
      const current = await readText(ref);
      if (current === undefined) return undefined;
      const record = parseRecord(current.text, ref);
      const next = change(record);
      if (next === undefined) return record;
      if ((await records.replace(ref, next, current.version)) !== undefined) return next;
      await pause(Math.random() * mostPauseMs);
    }
    const message = `The blob store cannot change a record: others changed it ${mostRounds} times meanwhile`;
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
