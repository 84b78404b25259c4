import type { JsonObject, MediaBlock } from '@ravi/kernel';
import { base64Of, mediaUrl } from '@ravi/provider-kit';
import type { MediaSupport } from '@ravi/provider-kit';
import type { ModelTraits } from './model-traits.ts';

const images = ['image/png', 'image/jpeg', 'image/webp'];

/** Returns the media that a model accepts, by place. */
export function mediaOf({ mixes }: ModelTraits): MediaSupport {
  return {
    user: [...images, 'image/heic', 'image/heif', 'audio/*', 'video/*', 'application/pdf', 'text/*'],
    'tool-result': mixes ? [...images, 'application/pdf', 'text/plain'] : [],
    urls: true,
  };
}

/** Encodes media as a part: its bytes, or the URL of a file. */
export function mediaPart(block: MediaBlock): JsonObject {
  const data = base64Of(block);
  if (data === undefined) return { fileData: { mimeType: block.mediaType, fileUri: mediaUrl(block) } };
  return { inlineData: { mimeType: block.mediaType, data } };
}

/** Returns the media of a response part; `undefined` for any other part and for an image in a thought. */
export function mediaBlock(part: Readonly<Record<string, unknown>>): MediaBlock | undefined {
  const { inlineData, thought } = part;
  if (typeof inlineData !== 'object' || inlineData === null || thought === true) return undefined;
  const { mimeType, data } = inlineData as { readonly mimeType?: unknown; readonly data?: unknown };
  if (typeof mimeType !== 'string' || typeof data !== 'string') return undefined;
  const kind = mimeType.split('/')[0];
  const type = kind === 'image' || kind === 'audio' ? kind : 'document';
  return { type, mediaType: mimeType, source: { kind: 'bytes', bytes: Buffer.from(data, 'base64') } };
}
