import type { BlobStore, ChainFile, ContentBlock, MediaBlock } from '@ravi/kernel';
import { errorText, extensionOf } from '@ravi/support';
import type { PendingCall } from '../pending-call.ts';

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
  { source, mediaType, name }: MediaBlock,
  index: number,
): Promise<ChainFile | undefined> {
  // The id may come from a model, so it must not contain path separators.
  const callId = pending.callId.replaceAll(/[^\w.-]/g, '_').slice(0, maxIdCharacters);
  const path = `/workspace/media/${callId}-${pending.name}-${index}.${extensionOf(mediaType)}`;
  if (source.kind === 'bytes') {
    const { ref, bytes } = await pending.storeArtifact(source.bytes, mediaType, name);
    return { path, mediaType, artifactRef: ref, bytes, ...named(name) };
  }
  if (source.kind === 'url') return undefined;
  const stat = await store.stat(source.ref);
  if (stat === undefined || !pending.session.owns(stat.scope)) return undefined;
  await pending.session.pinArtifact(source.ref);
  // A file of the run that is returned again stays at its path.
  const kept = pending.session.files.find(({ artifactRef }) => artifactRef === source.ref)?.path;
  return { path: kept ?? path, mediaType, artifactRef: source.ref, bytes: stat.bytes, ...named(name ?? stat.name) };
}

function named(name: string | undefined): Pick<ChainFile, 'name'> {
  return name === undefined ? {} : { name };
}
