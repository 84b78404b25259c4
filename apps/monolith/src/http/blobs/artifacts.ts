import { api } from '@ravi/api';
import type { Artifact } from '@ravi/api';
import { isKernelError } from '@ravi/kernel';
import type { BlobStore, Logger, RunStore } from '@ravi/kernel';
import { maySee, findRun } from '../access/caller.ts';
import { allArtifactRefs, artifactRefs } from '../../runs/run-details.ts';
import type { RunRecorder } from '../../runs/run-recorder.ts';
import { implement, listOf, pageOf, Reply } from '../core/implement.ts';
import type { ApiRequest, Endpoint } from '../core/implement.ts';
import { problem } from '../core/problem.ts';
import type { ArtifactDamage } from './artifact-damage.ts';
import { headersOf } from './media-type.ts';
import { passChunks } from './pass-chunks.ts';

/** Returns the metadata of those artifacts that still exist. */
export async function statsOf(damage: ArtifactDamage, refs: readonly string[]): Promise<readonly Artifact[]> {
  const stats = await Promise.all(refs.map((ref) => damage.stat(ref)));
  return stats.filter((stat) => stat !== undefined);
}

/** Services of {@link artifactOperations}. */
export interface ArtifactServices {
  readonly blobStore: BlobStore;
  readonly damage: ArtifactDamage;
  readonly runs: RunStore;
  readonly recorder: RunRecorder;
  readonly logger: Logger;
}

/** Implements the operations on artifacts and their content. */
export function artifactOperations(services: ArtifactServices): readonly Endpoint[] {
  const { blobStore, damage, runs, recorder, logger } = services;

  async function find({ caller, params: { ref } }: ApiRequest<typeof api.artifacts.get>): Promise<Artifact> {
    const stat = await damage.stat(ref);
    if (stat !== undefined && maySee(caller, stat.scope.principal)) return stat;
    throw problem('E_ARTIFACT_UNKNOWN', `There is no artifact "${ref}"`);
  }

  return [
    implement(api.artifacts.list, async (request) => {
      const { query, caller } = request;
      if (query.runId !== undefined) {
        const run = await findRun(runs, request, query.runId);
        return listOf(await statsOf(damage, allArtifactRefs(await recorder.recordOf(run.id))));
      }
      const own = caller.roles.includes('admin') ? {} : { principal: caller.principal };
      const { items, next } = await runs.list(own, pageOf(query));
      const refs = await Promise.all(items.map(({ id }) => refsOf(recorder, id)));
      return listOf(await statsOf(damage, refs.flat()), next);
    }),
    implement(api.artifacts.get, find),
    implement(api.artifacts.content, async (request) => {
      const { ref, bytes, mediaType, fileName } = await find(request);
      const range = readByteRange(request.headers.get('range'), bytes);
      const headers: Record<string, string> = {
        ...headersOf(mediaType, fileName),
        'accept-ranges': 'bytes',
        'content-length': String(range?.length ?? bytes),
      };
      if (range === undefined) return new Response(logged(await open(blobStore, ref), ref, logger), { headers });
      const { offset, length } = range;
      headers['content-range'] = `bytes ${offset}-${offset + length - 1}/${bytes}`;
      return new Response(logged(await open(blobStore, ref, range), ref, logger), { status: 206, headers });
    }),
    implement(api.artifacts.delete, async (request) => {
      const { ref } = await find(request);
      await blobStore.delete(ref);
      return new Reply(204, undefined);
    }),
  ];
}

async function refsOf(recorder: RunRecorder, runId: string): Promise<readonly string[]> {
  return artifactRefs(await recorder.read(runId));
}

async function open(...[blobStore, ...what]: [BlobStore, ...Parameters<BlobStore['open']>]): Promise<ReadableStream> {
  try {
    return await blobStore.open(...what);
  } catch (error) {
    if (!isKernelError(error, 'E_BLOB_NOT_FOUND')) throw error;
    throw problem('E_ARTIFACT_UNKNOWN', 'The artifact was removed');
  }
}

// The status is already sent, so an error can only break the connection. It must not do so silently.
function logged(content: ReadableStream<Uint8Array>, ref: string, logger: Logger): ReadableStream<Uint8Array> {
  const onError = (error: unknown): void => logger.error('an artifact could not be read to its end', { ref, error });
  return passChunks(content, { onError });
}

/** Part of a content, as an option of `BlobStore.open`. */
interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * Reads the single range of a `Range` header. Returns `undefined` for the whole content, also for several ranges and other
 * units. @throws KernelError `E_RANGE_INVALID` if the range is outside the content
 */
function readByteRange(header: string | null, bytes: number): ByteRange | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const offset = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const end = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (offset <= end) return { offset, length: end - offset + 1 };
  throw problem('E_RANGE_INVALID', `The range is outside the content, which has ${bytes} bytes`);
}
