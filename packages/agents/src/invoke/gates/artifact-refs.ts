import { isKernelError, isLocalTool } from '@ravi/kernel';
import type { ArtifactStream, BlobStat, BlobStore, JsonObject, Tool } from '@ravi/kernel';
import { replaceAt } from '../../arguments/replace-at.ts';
import { decodeUtf8 } from '../../arguments/utf8.ts';
import { wantedAt } from '../../validation/schema-at.ts';
import { loadArtifactStats } from '../artifact-stats.ts';
import { stopWithError } from '../results.ts';
import { checkArguments } from './arguments.ts';
import type { ArtifactPlace } from '../../arguments/inspect-arguments.ts';
import type { GateOutcome, GateStop, PendingCall } from '../pending-call.ts';

/** Gate 5: every `{ "$artifact": ref }` becomes what the schema asks for at its place, here and never in a script. */
export function artifactRefsGate(pending: PendingCall): GateOutcome | Promise<GateOutcome> {
  const { tool } = pending;
  if (pending.artifacts.length === 0 || !isLocalTool(tool)) return pending;
  return resolveAll(pending, tool);
}

interface Resolved {
  readonly value: unknown;
  /** A value that JSON Schema cannot judge: bytes or a stream. */
  readonly isOpaque: boolean;
}

async function resolveAll(pending: PendingCall, tool: Tool): Promise<GateOutcome> {
  const stats = await loadArtifactStats(pending);
  const { artifactStore } = pending.runtime;
  let args: JsonObject = pending.args;
  const opaque: (readonly (string | number)[])[] = [];
  for (const place of pending.artifacts) {
    const stat = stats.get(place.ref);
    if (stat === undefined || artifactStore === undefined) {
      pending.runtime.logger.warn('unknown artifact ref is handed to the tool as it is', {
        tool: tool.name,
        callId: pending.callId,
      });
      continue;
    }
    if (!pending.session.owns(stat.scope)) return forbidden(place);
    const resolved = await resolveOne(artifactStore, tool, place, stat);
    if ('stop' in resolved) return resolved;
    if (resolved.isOpaque) opaque.push(place.path);
    args = replaceAt(args, place.path, resolved.value);
  }
  pending.args = args;
  return checkArguments(pending, opaque) ?? pending;
}

async function resolveOne(
  store: BlobStore,
  tool: Tool,
  place: ArtifactPlace,
  stat: BlobStat,
): Promise<Resolved | GateStop> {
  if (tool.artifacts === 'stream') return { value: streamOf(store, stat), isOpaque: true };
  try {
    return convert(await store.resolve(place.ref), tool, place, stat);
  } catch (error) {
    if (!isKernelError(error)) throw error;
    return stopWithError(error.code, `The artifact ${place.ref} cannot be read: ${error.message}`);
  }
}

function convert(bytes: Uint8Array, tool: Tool, place: ArtifactPlace, stat: BlobStat): Resolved | GateStop {
  const wanted = wantedAt(tool.inputSchema, place.path);
  if (wanted === 'bytes') return { value: bytes, isOpaque: true };
  const text = decodeUtf8(bytes);
  if (wanted === 'text' || (wanted === 'any' && stat.mediaType !== 'application/json'))
    return { value: text, isOpaque: false };
  try {
    return { value: JSON.parse(text), isOpaque: false };
  } catch {
    return stopWithError(
      'E_ARGUMENTS_INVALID',
      `Invalid arguments for ${tool.name}: the artifact ${place.ref} (${stat.mediaType}) is not JSON, which "${place.path.join('.')}" asks for`,
    );
  }
}

function streamOf(store: BlobStore, stat: BlobStat): ArtifactStream {
  const { ref, mediaType, bytes } = stat;
  return Object.freeze({ ref, mediaType, bytes, open: (range = {}) => store.open(ref, range) });
}

function forbidden(place: ArtifactPlace): GateStop {
  return stopWithError('E_ARTIFACT_FORBIDDEN', `The artifact ${place.ref} belongs to another session`);
}
