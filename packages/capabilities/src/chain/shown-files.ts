import { sessionBlobs } from '@ravi/invoker';
import type { InvokerSession, ToolInvoker } from '@ravi/invoker';
import type { BlobStat, ChainFile, JsonValue, MediaBlock } from '@ravi/kernel';
import { escapeHidden } from '@ravi/support';

const maxShown = 20;

/**
 * Returns the files that a script returns as `{ files }`, as media of its result: the model sees pictures, and every file becomes
 * one of the call. Names of artifacts that another session owns, or that do not exist, are ignored: the script wrote them.
 */
export async function shownFiles(
  value: JsonValue | undefined,
  session: InvokerSession,
  { artifactStore }: ToolInvoker,
): Promise<readonly MediaBlock[]> {
  const refs = returnedRefs(value);
  if (refs.length === 0 || artifactStore === undefined) return [];
  const blobs = sessionBlobs(session, artifactStore);
  // A file that cannot be looked up is still in the value.
  const stats = await Promise.all(refs.map((ref) => blobs.stat(ref).catch(() => undefined)));
  return stats.flatMap((stat) => (stat === undefined ? [] : [mediaOf(stat)]));
}

/** Returns a note for the model about the files that a script kept and did not return; empty when there are none. */
export function keptReport(files: readonly ChainFile[], shown: readonly MediaBlock[]): string {
  const known = new Set(shown.map(({ source }) => (source.kind === 'blob' ? source.ref : '')));
  const others = files.filter(({ artifactRef }) => !known.has(artifactRef));
  if (others.length === 0) return '';
  const lines = others.slice(0, maxShown).map(({ path, mediaType, bytes, artifactRef }) => {
    return `- ${escapeHidden(path)} (${mediaType}, ${bytes} bytes): {"$artifact":"${artifactRef}"}`;
  });
  if (others.length > maxShown) lines.push(`… and ${others.length - maxShown} more`);
  return `Files that the script kept:\n${lines.join('\n')}`;
}

// A handle is `{ $artifact }` in the value of Python, and a file with its details in that of JavaScript.
function returnedRefs(value: JsonValue | undefined): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const { files } = value as { readonly files?: JsonValue };
  if (!Array.isArray(files)) return [];
  const refs = files.slice(0, maxShown).flatMap((file: JsonValue) => {
    if (typeof file !== 'object' || file === null) return [];
    const { artifactRef, $artifact } = file as Readonly<Record<string, JsonValue | undefined>>;
    const ref = artifactRef ?? $artifact;
    return typeof ref === 'string' ? [ref] : [];
  });
  return [...new Set(refs)];
}

function mediaOf({ ref, mediaType, name }: BlobStat): MediaBlock {
  const kind = /^(image|audio)\//.exec(mediaType)?.[1] as 'image' | 'audio' | undefined;
  return {
    type: kind ?? 'document',
    mediaType,
    source: { kind: 'blob', ref },
    ...(name === undefined ? {} : { name }),
  };
}
