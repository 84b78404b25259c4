import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { ListMultipartUploadsCommandOutput, ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import type { BlobRef } from '@ravi/kernel';
import { guarded } from './errors.ts';
import { folderOf, refOf } from './storage.ts';
import type { ObjectKind, S3Storage } from './storage.ts';

/** Object of the store in the bucket. */
export interface ListedObject {
  readonly ref: BlobRef;
  readonly bytes: number;
}

/** Multipart upload that is not complete. */
export interface ListedUpload {
  readonly ref: BlobRef;
  readonly uploadId: string;
}

/** Yields the objects of a kind in the order of their refs and skips objects that this store did not create. */
export async function* listObjects(storage: S3Storage, kind: ObjectKind): AsyncGenerator<ListedObject> {
  let token: string | undefined;
  do {
    const next: { ContinuationToken?: string } = token === undefined ? {} : { ContinuationToken: token };
    const list = new ListObjectsV2Command({ ...folderOf(storage, kind), ...next });
    const page: ListObjectsV2CommandOutput = await guarded('list blobs', () => storage.client.send(list));
    for (const { Key, Size = 0 } of page.Contents ?? []) {
      const ref = refOf(storage, kind, Key);
      if (ref !== undefined) yield { ref, bytes: Size };
    }
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}

/** Yields the uploads of content that are not complete. */
export async function* listUploads(storage: S3Storage): AsyncGenerator<ListedUpload> {
  let marker: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {};
  while (marker !== undefined) {
    const list: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
      ...folderOf(storage, 'content'),
      ...marker,
    });
    const page: ListMultipartUploadsCommandOutput = await guarded('list uploads', () => storage.client.send(list));
    for (const { Key, UploadId } of page.Uploads ?? []) {
      const ref = refOf(storage, 'content', Key);
      if (ref !== undefined && UploadId !== undefined) yield { ref, uploadId: UploadId };
    }
    const { IsTruncated, NextKeyMarker, NextUploadIdMarker } = page;
    if (IsTruncated !== true || NextKeyMarker === undefined) return;
    marker = {
      KeyMarker: NextKeyMarker,
      ...(NextUploadIdMarker === undefined ? {} : { UploadIdMarker: NextUploadIdMarker }),
    };
  }
}
