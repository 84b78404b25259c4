import type { ContentBlock, MediaBlock } from '@ravi/kernel';

/** Place of media in a conversation. */
export type MediaPlace = 'user' | 'tool-result';

/**
 * Media types that a model accepts in each place, `image/*` for all of a kind; `urls` is true if the provider fetches
 * URLs.
 */
export interface MediaSupport {
  readonly user: readonly string[];
  readonly 'tool-result': readonly string[];
  readonly urls: boolean;
}

/** Returns true if a model accepts this block in this place. */
export function takesMedia(support: MediaSupport, place: MediaPlace, block: MediaBlock): boolean {
  if (block.source.kind === 'blob') return false;
  if (block.source.kind === 'url' && !isReachable(block.source.url, support)) return false;
  return support[place].some((pattern) =>
    pattern.endsWith('/*') ? block.mediaType.startsWith(pattern.slice(0, -1)) : pattern === block.mediaType,
  );
}

/** Returns true if the provider can read the URL. A malformed `data:` URL has no data. */
function isReachable(url: string, { urls }: MediaSupport): boolean {
  return /^data:/iu.test(url) ? dataUrl.test(url) : urls;
}

/** Returns true if a block is an image, audio clip or document. */
export function isMedia(block: ContentBlock): block is MediaBlock {
  return block.type === 'image' || block.type === 'audio' || block.type === 'document';
}

/** Returns the bytes of a block in base64, also from a `data:` URL; `undefined` if it has only another URL. */
export function base64Of({ source }: MediaBlock): string | undefined {
  if (source.kind === 'bytes')
    return Buffer.from(source.bytes.buffer, source.bytes.byteOffset, source.bytes.byteLength).toString('base64');
  if (source.kind !== 'url') return undefined;
  const [, head = '', data] = dataUrl.exec(source.url) ?? [];
  if (data === undefined) return undefined;
  return /;base64$/iu.test(head) ? unescaped(data).toString('latin1') : unescaped(data).toString('base64');
}

/** Returns the URL of a block: its own, or a base64 `data:` URL of its bytes. */
export function mediaUrl(block: MediaBlock): string {
  if (block.source.kind === 'url' && !dataUrl.test(block.source.url)) return block.source.url;
  return `data:${block.mediaType};base64,${base64Of(block) ?? ''}`;
}

const dataUrl = /^data:([^,]*),(.*)$/isu;

/** Decodes the percent-escaped bytes of a part of a URL. */
function unescaped(part: string): Buffer {
  const bytes = Buffer.from(part);
  if (!part.includes('%')) return bytes;
  const text = bytes.toString('latin1');
  return Buffer.from(
    text.replaceAll(/%([0-9a-f]{2})/giu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  );
}
