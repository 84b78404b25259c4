import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { CompletedPart } from '@aws-sdk/client-s3';
import { KernelError } from '@ravi/kernel';
import type { BlobRef } from '@ravi/kernel';
import { guarded } from './errors.ts';
import { addressOf } from './storage.ts';
import type { S3Storage } from './storage.ts';

/** Options of {@link openMultipartUpload}. */
export interface MultipartUploadOptions {
  readonly storage: S3Storage;
  /** The blob whose content is uploaded. */
  readonly ref: BlobRef;
  readonly partBytes: number;
  /** Maximum number of parts in flight. */
  readonly partsAtOnce: number;
  readonly signal: AbortSignal | undefined;
}

/** An upload in parts, begun with the first of them. Disposing one that is not complete takes everything back. */
export interface MultipartUpload extends AsyncDisposable {
  /** Sends a part, once less than `partsAtOnce` others are on their way; an empty one is left out. */
  add(part: Uint8Array): Promise<void>;
  /** Waits for all parts and makes them one object. */
  complete(): Promise<void>;
}

/** The most parts that S3 takes for an object. */
const mostParts = 10_000;

/** Prepares an upload; every failure of a part ends it. */
export function openMultipartUpload(options: MultipartUploadOptions): MultipartUpload {
  const { storage, ref, partBytes, partsAtOnce, signal } = options;
  const { client, encryption } = storage;
  const address = addressOf(storage, 'content', ref);
  const stopping = new AbortController();
  const abortSignal = signal === undefined ? stopping.signal : AbortSignal.any([stopping.signal, signal]);
  const sending = new Set<Promise<void>>();
  const completed: CompletedPart[] = [];
  const failures: unknown[] = [];
  let uploadId: string | undefined;
  let sent = 0;

  const guardedSend = <Value>(operation: () => Promise<Value>): Promise<Value> =>
    guarded('store content', operation, signal);

  async function begin(): Promise<string> {
    const create = new CreateMultipartUploadCommand({ ...address, ...encryption });
    const { UploadId } = await guardedSend(() => client.send(create, { abortSignal }));
    return UploadId ?? '';
  }

  async function send(upload: string, partNumber: number, part: Uint8Array): Promise<void> {
    const command = new UploadPartCommand({ ...address, UploadId: upload, PartNumber: partNumber, Body: part });
    try {
      const { ETag } = await guardedSend(() => client.send(command, { abortSignal }));
      completed[partNumber - 1] = { PartNumber: partNumber, ...(ETag === undefined ? {} : { ETag }) };
    } catch (error) {
      failures.push(error);
      stopping.abort();
    }
  }

  function throwFailure(): void {
    if (failures.length > 0) throw failures[0];
  }

  return {
    async add(part) {
      if (part.byteLength === 0) return;
      if (sent === mostParts) throw tooLarge(partBytes);
      uploadId ??= await begin();
      while (sending.size >= partsAtOnce) await Promise.race(sending);
      throwFailure();
      sent += 1;
      const sendingPart = send(uploadId, sent, part).finally(() => sending.delete(sendingPart));
      sending.add(sendingPart);
    },

    async complete() {
      await Promise.all(sending);
      throwFailure();
      const complete = new CompleteMultipartUploadCommand({
        ...address,
        UploadId: uploadId,
        MultipartUpload: { Parts: completed },
      });
      await guardedSend(() => client.send(complete, { abortSignal }));
      uploadId = undefined;
    },

    async [Symbol.asyncDispose]() {
      if (uploadId === undefined) return;
      // A part that arrives after the end of its upload would stay, so the last must be over first.
      stopping.abort();
      await Promise.all(sending);
      // The first failure is what the caller must hear; what cannot be removed now is removed by `sweep`.
      await client.send(new AbortMultipartUploadCommand({ ...address, UploadId: uploadId })).catch(() => {});
    },
  };
}

function tooLarge(partBytes: number): KernelError {
  const limit = `${mostParts} parts of ${partBytes} bytes`;
  return new KernelError('E_BLOB_TOO_LARGE', `The blob is larger than ${limit}: raise partBytes`);
}
