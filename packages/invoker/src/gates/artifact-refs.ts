import { isLocalTool } from '@ravi/kernel';
import type { ArtifactStream, BlobStat, BlobStore, JsonObject, Tool } from '@ravi/kernel';
import { decodeUtf8, pollutingKeyIn } from '@ravi/support';
import type { ArtifactPlace } from '@ravi/support';
import { loadArtifactStats, stopUnreadable } from '../artifact-stats.ts';
import type { GateOutcome, PendingCall } from '../pending-call.ts';
import { stopWithError } from '../error-results.ts';
import type { GateStop } from '../error-results.ts';
import { wantedAt } from '../validation/schema-at.ts';
import { judgeAgain } from './approval.ts';
import { checkArguments } from './arguments.ts';

/** Replaces every `{ "$artifact": ref }` by its content, in the form that the schema asks for; never inside a script. */
export function artifactRefsGate(pending: PendingCall): GateOutcome | Promise<GateOutcome> {
  const { tool } = pending;
  if (pending.artifacts.length === 0 || !isLocalTool(tool)) return pending;
  return resolveAll(pending, tool);
}

interface FoundPlace extends ArtifactPlace {
  readonly stat: BlobStat;
}

interface Resolved {
  readonly value: unknown;
  /** A value that JSON Schema cannot judge: bytes or a stream. */
  readonly isOpaque: boolean;
}

async function resolveAll(pending: PendingCall, tool: Tool): Promise<GateOutcome> {
  const failed = await loadArtifactStats(pending);
  if (failed !== undefined) return failed;
  const { artifactStore } = pending.runtime;
  let args: unknown = pending.args;
  const opaque: (readonly (string | number)[])[] = [];
  for (const place of pending.artifacts) {
    const stat = pending.artifactStats?.get(place.ref);
    if (stat === undefined || artifactStore === undefined) {
      pending.runtime.logger.warn('unknown artifact ref was passed to the tool unchanged', {
        tool: tool.name,
        callId: pending.callId,
      });
      continue;
    }
    if (!pending.session.owns(stat.scope)) return forbidden(place);
    const resolved = await resolveOne(pending, artifactStore, tool, { ...place, stat });
    if ('stop' in resolved) return resolved;
    if (resolved.isOpaque) opaque.push(place.path);
    args = replaceAt(args, place.path, resolved.value);
  }
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return noObject(tool);
  pending.args = args as JsonObject;
  return checkArguments(pending, opaque) ?? judgeContent(pending);
}

// The content may be riskier than the ref that the approval gate assessed.
async function judgeContent(pending: PendingCall): Promise<GateOutcome> {
  const { args } = pending;
  const outcome = await judgeAgain(pending);
  // An approver who modified the arguments may have added other refs.
  return outcome !== pending || pending.args === args ? outcome : artifactRefsGate(pending);
}

async function resolveOne(
  pending: PendingCall,
  store: BlobStore,
  tool: Tool,
  place: FoundPlace,
): Promise<Resolved | GateStop> {
  if (tool.artifacts === 'stream') return { value: streamOf(store, place.stat), isOpaque: true };
  let bytes: Uint8Array;
  try {
    bytes = await store.resolve(place.ref);
  } catch (error) {
    return stopUnreadable(pending, place.ref, error);
  }
  return convert(bytes, tool, place);
}

function convert(bytes: Uint8Array, tool: Tool, place: FoundPlace): Resolved | GateStop {
  const wanted = wantedAt(tool.inputSchema, place.path);
  if (wanted === 'bytes') return { value: bytes, isOpaque: true };
  const text = decodeUtf8(bytes);
  const { mediaType } = place.stat;
  if (wanted === 'text' || (wanted === 'any' && mediaType !== 'application/json')) {
    return { value: text, isOpaque: false };
  }
  return parse(text, tool, place);
}

function parse(text: string, tool: Tool, { ref, path, stat }: FoundPlace): Resolved | GateStop {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const asking = path.length === 0 ? 'the arguments' : `"${path.join('.')}"`;
    return invalid(tool, `the artifact ${ref} (${stat.mediaType}) is not JSON, which ${asking} asks for`);
  }
  const key = pollutingKeyIn(value, text);
  return key === undefined
    ? { value, isOpaque: false }
    : invalid(tool, `the artifact ${ref} has the key "${key}", which is not allowed`);
}

function noObject(tool: Tool): GateStop {
  return invalid(tool, 'The artifact that replaces the arguments does not hold an object');
}

function invalid(tool: Tool, problem: string): GateStop {
  return stopWithError('E_ARGUMENTS_INVALID', `Invalid arguments for ${tool.name}: ${problem}`);
}

function streamOf(store: BlobStore, stat: BlobStat): ArtifactStream {
  const { ref, mediaType, bytes } = stat;
  return Object.freeze({ ref, mediaType, bytes, open: (range = {}) => store.open(ref, range) });
}

function forbidden(place: ArtifactPlace): GateStop {
  return stopWithError('E_ARTIFACT_FORBIDDEN', `The artifact ${place.ref} belongs to another session`);
}

// Returns a copy of `target` with `value` at `path`; only the objects along the path are copied.
function replaceAt(target: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(target))
    return target.map((child: unknown, index) => (index === step ? replaceAt(child, rest, value) : child));
  const object = target as Readonly<Record<string, unknown>>;
  return { ...object, [step]: replaceAt(object[step], rest, value) };
}
