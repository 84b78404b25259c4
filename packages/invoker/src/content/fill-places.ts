import { isKernelError } from '@ravi/kernel';
import type { BlobStore, JsonObject, Tool } from '@ravi/kernel';
import { decodeUtf8, pollutingKeyIn } from '@ravi/support';
import type { ArtifactPlace } from '@ravi/support';
import { stopInvalidTool, stopWithError } from '../error-results.ts';
import type { GateStop } from '../error-results.ts';
import type { PendingCall } from '../pending-call.ts';
import { ContentLookup } from '../validation/schema-at.ts';
import type { WantedContent } from '../validation/schema-at.ts';
import { loadArtifactStats, stopUnreadable } from './artifact-stats.ts';
import { replaceAt } from './places.ts';
import type { FilledPlace } from './places.ts';
import { readVerified, streamOf } from './verified-content.ts';

/** Maximum bytes of artifacts that one call reads into memory. A tool that takes streams has no such limit. */
const maxContentBytes = 268_435_456;

/**
 * Replaces every `{ "$artifact": ref }` in the arguments by its content, in the form that the schema asks for. The content
 * is compared with the SHA-256 that was found when these arguments were first filled, so it is the approved content after
 * an approval too. Returns a refusal if a reference has no content, or content that does not fit.
 */
export async function fillPlaces(pending: PendingCall, tool: Tool): Promise<GateStop | undefined> {
  const failed = await loadArtifactStats(pending);
  if (failed !== undefined) return failed;
  const { artifactStore: store } = pending.runtime;
  const filled: FilledPlace[] = [];
  let args: unknown = pending.namedArgs;
  let bytes = 0;
  const places = lookUp(tool, pending.artifacts);
  if ('stop' in places) return places;
  for (const [index, place] of pending.artifacts.entries()) {
    const stat = pending.artifactStats?.get(place.ref);
    if (store === undefined || stat === undefined) throw new TypeError('An artifact passed without its metadata');
    const form = places[index] as WantedContent | 'stream';
    if (form !== 'stream') bytes += stat.bytes;
    if (bytes > maxContentBytes) return tooLarge(tool, bytes);
    const content = await readContent(pending, { store, tool, form, place: { ...place, stat } });
    if ('stop' in content) return content;
    filled.push(content);
    args = replaceAt(args, place.path, content.value);
  }
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return noObject(tool);
  pending.setContent(args as JsonObject, filled);
  return undefined;
}

function lookUp(tool: Tool, places: readonly ArtifactPlace[]): readonly (WantedContent | 'stream')[] | GateStop {
  const lookup = new ContentLookup(tool.inputSchema);
  try {
    return places.map(({ path }) => {
      const { wanted, isStreamable } = lookup.at(path);
      return tool.artifacts === 'stream' && isStreamable ? 'stream' : wanted;
    });
  } catch (error) {
    if (!isKernelError(error, 'E_TOOL_INVALID')) throw error;
    return stopInvalidTool(tool.name, error);
  }
}

interface Reading {
  readonly store: BlobStore;
  readonly tool: Tool;
  readonly form: WantedContent | 'stream';
  readonly place: Omit<FilledPlace, 'value' | 'isOpaque'>;
}

async function readContent(
  pending: PendingCall,
  { store, tool, form, place }: Reading,
): Promise<FilledPlace | GateStop> {
  let bytes: Uint8Array;
  try {
    if (form === 'stream') return { ...place, value: await streamOf(store, place.stat), isOpaque: true };
    bytes = await readVerified(store, place.stat);
  } catch (error) {
    return stopUnreadable(pending, place.ref, error);
  }
  if (form === 'bytes') return { ...place, value: bytes, isOpaque: true };
  const text = decodeUtf8(bytes);
  const isText = form === 'text' || (form === 'any' && place.stat.mediaType !== 'application/json');
  return isText ? { ...place, value: text, isOpaque: false } : parse(text, tool, place);
}

function parse(text: string, tool: Tool, place: Reading['place']): FilledPlace | GateStop {
  const { ref, path, stat } = place;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const asking = path.length === 0 ? 'the arguments' : `"${path.join('.')}"`;
    return invalid(tool, `the artifact ${ref} (${stat.mediaType}) is not JSON, which ${asking} must be`);
  }
  const key = pollutingKeyIn(value, text);
  return key === undefined
    ? { ...place, value, isOpaque: false }
    : invalid(tool, `the artifact ${ref} has the key "${key}", which is not allowed`);
}

function noObject(tool: Tool): GateStop {
  return invalid(tool, 'The artifact that replaces the arguments must contain a JSON object');
}

function tooLarge(tool: Tool, bytes: number): GateStop {
  return invalid(tool, `its artifacts have ${bytes} bytes; one call may read at most ${maxContentBytes}`);
}

function invalid(tool: Tool, problem: string): GateStop {
  return stopWithError('E_ARGUMENTS_INVALID', `Invalid arguments for ${tool.name}: ${problem}`);
}
