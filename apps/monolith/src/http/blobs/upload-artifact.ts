import { api } from '@ravi/api';
import type { Artifact } from '@ravi/api';
import type { ToolInvoker } from '@ravi/invoker';
import { isKernelError } from '@ravi/kernel';
import { downloadName } from '@ravi/support';
import { implement, Reply } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';
import { problem } from '../core/problem.ts';
import type { ArtifactQuota } from './artifact-quota.ts';
import { bytesOfNoType, isMediaType } from './media-type.ts';

/** Services of {@link uploadOperation}. */
export interface UploadServices {
  readonly invoker: ToolInvoker;
  readonly artifactQuota: ArtifactQuota;
  readonly lifetime: AbortSignal;
  /** Milliseconds until the artifact expires. */
  readonly artifactTtlMs: number;
}

/** Implements the upload of an artifact, which is stored as it arrives. */
export function uploadOperation({ invoker, artifactQuota, lifetime, artifactTtlMs }: UploadServices): Endpoint {
  return implement(api.artifacts.upload, async ({ caller, query: { sessionId, name }, headers, content, signal }) => {
    const { principal } = caller;
    const mediaType = mediaTypeOf(headers);
    const data = content === undefined ? new Uint8Array() : withoutCancel(content);
    // Before the content is read, if its size is announced.
    artifactQuota.check(principal, Number(headers.get('content-length') ?? 0));
    const ends = AbortSignal.any([lifetime, signal]);
    await using session = invoker.openSession({
      principal,
      signal: ends,
      artifactTtlMs,
      ...(sessionId === undefined ? {} : { sessionId }),
    });
    const ref = await session
      .storeArtifact(data, mediaType, name === undefined ? {} : { name }, ends)
      .catch((error: unknown) => {
        throw refusalOf(error, signal);
      });
    const stat = await artifactQuota.store.stat(ref);
    if (stat === undefined) throw problem('E_ARTIFACT_UNKNOWN', 'The artifact expired while it was stored');
    const artifact: Artifact = { ...stat, fileName: downloadName(stat) };
    return new Reply(201, artifact, { location: `/v1/artifacts/${ref}` });
  });
}

/** Returns a content that a reader can stop reading: if the stream of the request was cancelled, its connection would close. */
function withoutCancel(content: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = content.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
}

function mediaTypeOf(headers: Headers): string {
  const mediaType = headers.get('content-type') || bytesOfNoType;
  if (!isMediaType(mediaType)) throw problem('E_CONTENT_TYPE', 'The content type is not a media type');
  if ((headers.get('content-encoding') ?? 'identity').toLowerCase() === 'identity') return mediaType;
  throw problem('E_CONTENT_TYPE', 'An artifact is stored as it is sent: send it without a content encoding');
}

function refusalOf(error: unknown, signal: AbortSignal): unknown {
  if (isKernelError(error, 'E_BLOB_TOO_LARGE')) return problem('E_BODY_TOO_LARGE', error.message);
  return signal.aborted ? problem('E_CANCELLED', 'The client disconnected before the end of the content') : error;
}
