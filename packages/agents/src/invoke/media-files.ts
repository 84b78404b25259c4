import type { BlobStore, ChainFile, ContentBlock, MediaBlock } from '@ravi/kernel';
import { storeForSession } from './store-artifact.ts';
import type { PendingCall } from './pending-call.ts';

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

/** Stores the media of a result and names a file for each: `/workspace/media/<callId>-<tool>-<n>.<ext>`. */
export async function storeMedia(
  pending: PendingCall,
  store: BlobStore,
  content: readonly ContentBlock[],
): Promise<readonly ChainFile[]> {
  const files: ChainFile[] = [];
  for (const block of content) {
    if (block.type !== 'image' && block.type !== 'audio' && block.type !== 'document') continue;
    const file = await storeOne(pending, store, block, files.length);
    if (file !== undefined) files.push(file);
  }
  return files;
}

async function storeOne(
  pending: PendingCall,
  store: BlobStore,
  block: MediaBlock,
  index: number,
): Promise<ChainFile | undefined> {
  const { source, mediaType } = block;
  const path = `/workspace/media/${pending.callId}-${pending.name}-${index}.${extensionOf(mediaType)}`;
  if (source.kind === 'bytes') {
    const { ref, bytes } = await storeForSession(pending, store, source.bytes, mediaType);
    return { path, mediaType, artifactRef: ref, bytes };
  }
  if (source.kind === 'url') return undefined;
  const stat = await store.stat(source.ref);
  if (stat === undefined || !pending.session.owns(stat.scope)) return undefined;
  await store.pin(source.ref, pending.session.pinOwner);
  await pending.session.keepPinned(source.ref);
  return { path, mediaType, artifactRef: source.ref, bytes: stat.bytes };
}

function extensionOf(mediaType: string): string {
  const essence = mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
  const known = extensions[essence];
  if (known !== undefined) return known;
  return /^[a-z0-9]{1,8}$/.exec(essence.split('/')[1] ?? '')?.[0] ?? 'bin';
}
