import type { BlobStore, ChainFile, ContentBlock, MediaBlock } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import type { PendingCall } from '../pending-call.ts';

/** File extensions of the media types that tools return most; the rest is named after its subtype. Source: IANA. */
const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/x-wav': 'wav',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'application/octet-stream': 'bin',
};

const maxIdCharacters = 128;

/** Files made from the media of a result. */
export interface StoredMedia {
  readonly files: readonly ChainFile[];
  /** Notes for the model about media that were not stored. */
  readonly notes: readonly string[];
}

/**
 * Stores the media of a result and names a file for each: `/workspace/media/<callId>-<tool>-<n>.<ext>`. Media that cannot
 * be stored, for example without a store, are reported in a note instead of being dropped silently.
 */
export async function storeMedia(pending: PendingCall, content: readonly ContentBlock[]): Promise<StoredMedia> {
  const files: ChainFile[] = [];
  const notes: string[] = [];
  for (const block of content) {
    if (block.type !== 'image' && block.type !== 'audio' && block.type !== 'document') continue;
    const file = await tryStore(pending, block, files.length);
    if (typeof file === 'string') notes.push(`[${block.type} (${block.mediaType}): ${file}]`);
    else {
      files.push(file);
      pending.session.addFile(file);
    }
  }
  return { files, notes };
}

// Returns the file, or the reason why it was not stored.
async function tryStore(pending: PendingCall, block: MediaBlock, index: number): Promise<ChainFile | string> {
  const { source } = block;
  const { artifactStore, logger } = pending.runtime;
  if (source.kind === 'url') return source.url;
  if (artifactStore === undefined) return 'not kept, since there is no artifact store';
  try {
    return (await storeOne(pending, artifactStore, block, index)) ?? 'not available in this session';
  } catch (error) {
    logger.error('artifact store failed: a file is lost', { tool: pending.name, error: errorText(error) });
    return 'not kept, since the artifact store failed';
  }
}

async function storeOne(
  pending: PendingCall,
  store: BlobStore,
  { source, mediaType }: MediaBlock,
  index: number,
): Promise<ChainFile | undefined> {
  // The id may come from a model, so it must not contain path separators.
  const callId = pending.callId.replaceAll(/[^\w.-]/g, '_').slice(0, maxIdCharacters);
  const path = `/workspace/media/${callId}-${pending.name}-${index}.${extensionOf(mediaType)}`;
  if (source.kind === 'bytes') {
    const { ref, bytes } = await pending.storeArtifact(source.bytes, mediaType);
    return { path, mediaType, artifactRef: ref, bytes };
  }
  if (source.kind === 'url') return undefined;
  const stat = await store.stat(source.ref);
  if (stat === undefined || !pending.session.owns(stat.scope)) return undefined;
  await pending.session.pinArtifact(source.ref);
  return { path, mediaType, artifactRef: source.ref, bytes: stat.bytes };
}

/** Returns the file extension of a media type; `bin` for an unknown one. */
export function extensionOf(mediaType: string): string {
  const essence = mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
  const known = extensions[essence];
  if (known !== undefined) return known;
  return /^[a-z0-9]{1,8}$/.exec(essence.split('/')[1] ?? '')?.[0] ?? 'bin';
}
