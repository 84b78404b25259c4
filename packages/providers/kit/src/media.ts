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
  if (block.source.kind === 'url' && !isReachable(block.source.url, support)) return false;
  return support[place].some((pattern) =>
    pattern.endsWith('/*') ? block.mediaType.startsWith(pattern.slice(0, -1)) : pattern === block.mediaType,
  );
}

/** A `data:` URL that says no data leads nowhere. */
function isReachable(url: string, { urls }: MediaSupport): boolean {
  return /^data:/iu.test(url) ? dataUrl.test(url) : urls;
}

/** Whether a block is an image, audio clip or document. */
export function isMedia(block: ContentBlock): block is MediaBlock {
  return block.type === 'image' || block.type === 'audio' || block.type === 'document';
}

/** The bytes of a medium in base 64, out of a `data:` URL too; `undefined` when it has another address only. */
export function base64Of({ source }: MediaBlock): string | undefined {
  if (source.kind === 'bytes')
    return Buffer.from(source.bytes.buffer, source.bytes.byteOffset, source.bytes.byteLength).toString('base64');
  if (source.kind !== 'url') return undefined;
  const [, head = '', data] = dataUrl.exec(source.url) ?? [];
  if (data === undefined) return undefined;
  return /;base64$/iu.test(head) ? unescaped(data).toString('latin1') : unescaped(data).toString('base64');
}

/** The address of a medium: its own, or its bytes as a `data:` URL in base 64. */
export function mediaUrl(block: MediaBlock): string {
  if (block.source.kind === 'url' && !dataUrl.test(block.source.url)) return block.source.url;
  return `data:${block.mediaType};base64,${base64Of(block) ?? ''}`;
}

const dataUrl = /^data:([^,]*),(.*)$/isu;

/** What a part of a URL stands for, its escaped bytes among them. */
function unescaped(part: string): Buffer {
  const bytes = Buffer.from(part);
  if (!part.includes('%')) return bytes;
  const text = bytes.toString('latin1');
  return Buffer.from(
    text.replaceAll(/%([0-9a-f]{2})/giu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  );
}

/** A medium in words, for a model that cannot be shown it. */
export function describeMedia({ type, mediaType, name, source }: MediaBlock): string {
  const words = [type, mediaType];
  if (name !== undefined) words.push(JSON.stringify(name));
  if (source.kind === 'bytes') words.push(`${source.bytes.byteLength} bytes`);
  if (source.kind === 'url' && !/^data:/iu.test(source.url)) words.push(source.url);
  return `[${words.join(', ')}: cannot be shown to this model]`;
}
