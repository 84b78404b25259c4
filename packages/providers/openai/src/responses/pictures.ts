import type { ContentBlock, JsonObject, MediaBlock, UnknownBlock } from '@ravi/kernel';
import { base64Of } from '@ravi/provider-kit';
import type { WireObject } from '@ravi/provider-kit';

/**
 * Returns the blocks of a generated image: the image, then its item without the image data, so that the bytes can be
 * stored elsewhere. `undefined` for any other item and for one without an image.
 */
export function pictureBlocks(item: WireObject, source: string): readonly ContentBlock[] | undefined {
  const { type, id, status, result, output_format: format } = item as JsonObject;
  if (type !== 'image_generation_call' || typeof result !== 'string' || result === '') return undefined;
  return [
    {
      type: 'image',
      mediaType: `image/${typeof format === 'string' ? format : 'png'}`,
      source: { kind: 'bytes', bytes: Buffer.from(result, 'base64') },
    },
    { type: 'unknown', raw: { type, id: id ?? null, status: status ?? 'completed', result: null }, source },
  ];
}

/** Returns the item of a generated image with its data; `undefined` if the two blocks are not such a pair. */
export function pictureItem(picture: MediaBlock, next: ContentBlock | undefined): JsonObject | undefined {
  const result = base64Of(picture);
  if (next?.type !== 'unknown' || !isFrame(next) || result === undefined) return undefined;
  return { ...(next.raw as JsonObject), result };
}

/** Returns true if a block is the item of the image before it. It is sent together with the image or not at all. */
export function isFrame(block: UnknownBlock): boolean {
  const { type, result } = block.raw as WireObject;
  return type === 'image_generation_call' && result === null;
}
