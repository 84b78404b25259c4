import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { CompletedPart } from '@aws-sdk/client-s3';
import { KernelError } from '@ravi/kernel';
import type { BlobRef } from '@ravi/kernel';
import type { ContentPart } from './content-parts.ts';
import { guarded } from './errors.ts';
import { addressOf, withBodyDigest } from './storage.ts';
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

/**
 * Multipart upload that starts with its first part. Disposing it before it is complete aborts it and removes its parts.
 */
export interface MultipartUpload extends AsyncDisposable {
  /** Sends a part once fewer than `partsAtOnce` others are in flight, and releases it when it is stored; skips an empty one. */
  add(part: ContentPart): Promise<void>;
  /** Waits for all parts and joins them into one object. */
  complete(): Promise<void>;
}

/** Maximum number of parts that S3 accepts for an object. */
const maxParts = 10_000;

/** Prepares an upload; any failed part ends it. */
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

  async function send(upload: string, partNumber: number, { content, sha256, release }: ContentPart): Promise<void> {
    const command = new UploadPartCommand({ ...address, UploadId: upload, PartNumber: partNumber, Body: content });
    command.middlewareStack.add((next) => (request) => next(withBodyDigest(request, sha256)), { step: 'build' });
    try {
      const { ETag } = await guardedSend(() => client.send(command, { abortSignal }));
      completed[partNumber - 1] = { PartNumber: partNumber, ...(ETag === undefined ? {} : { ETag }) };
      // A request that failed may still read it.
      release();
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
      if (part.content.byteLength === 0) return;
      if (sent === maxParts) throw tooLarge(partBytes);
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
      // A part that arrives after its upload was aborted would stay, so wait for the last part first.
      stopping.abort();
      await Promise.all(sending);
      // The caller must see the first failure; `sweep` removes what cannot be removed now.
      await client.send(new AbortMultipartUploadCommand({ ...address, UploadId: uploadId })).catch(() => {});
    },
  };
}

function tooLarge(partBytes: number): KernelError {
  const limit = `${maxParts} parts of ${partBytes} bytes`;
  return new KernelError('E_BLOB_TOO_LARGE', `The blob is larger than ${limit}: raise partBytes`);
}
