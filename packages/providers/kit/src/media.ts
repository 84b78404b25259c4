import type { ContentBlock, MediaBlock } from '@ravi/kernel';

/** Where a medium stands in a conversation. */
export type MediaPlace = 'user' | 'tool-result';

/** What a model takes where: media types, `image/*` for all of a kind; `urls` when it fetches addresses itself. */
export interface MediaSupport {
  readonly user: readonly string[];
  readonly 'tool-result': readonly string[];
  readonly urls: boolean;
}

/** Whether a model takes this medium in this place, as the block has it. */
export function takesMedia(support: MediaSupport, place: MediaPlace, block: MediaBlock): boolean {
  if (block.source.kind === 'blob') return false;
  if (block.source.kind === 'url' && !support.urls && !block.source.url.startsWith('data:')) return false;
  return support[place].some((pattern) =>
    pattern.endsWith('/*') ? block.mediaType.startsWith(pattern.slice(0, -1)) : pattern === block.mediaType,
  );
}

/** Whether a block is an image, audio clip or document. */
export function isMedia(block: ContentBlock): block is MediaBlock {
  return block.type === 'image' || block.type === 'audio' || block.type === 'document';
}

/** The bytes of a medium in base 64; `undefined` when it has an address only. */
export function base64Of({ source }: MediaBlock): string | undefined {
  if (source.kind === 'bytes')
    return Buffer.from(source.bytes.buffer, source.bytes.byteOffset, source.bytes.byteLength).toString('base64');
  return source.kind === 'url' ? /^data:[^,]*;base64,(.*)$/su.exec(source.url)?.[1] : undefined;
}

/** The address of a medium: its own, or its bytes as a `data:` URL. */
export function mediaUrl(block: MediaBlock): string {
  return block.source.kind === 'url' ? block.source.url : `data:${block.mediaType};base64,${base64Of(block) ?? ''}`;
}

/** A medium in words, for a model that cannot be shown it. */
export function describeMedia({ type, mediaType, name, source }: MediaBlock): string {
  const words = [type, mediaType];
  if (name !== undefined) words.push(JSON.stringify(name));
  if (source.kind === 'bytes') words.push(`${source.bytes.byteLength} bytes`);
  if (source.kind === 'url' && !source.url.startsWith('data:')) words.push(source.url);
  return `[${words.join(', ')}: cannot be shown to this model]`;
}
