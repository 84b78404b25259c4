import type { ContentBlock, JsonObject, MediaBlock, UnknownBlock } from '@ravi/kernel';
import { base64Of } from '@ravi/provider-kit';
import type { WireObject } from '@ravi/provider-kit';

/**
 * What a model that paints answers with: the picture, and behind it what of its item goes back, without the picture, so that
 * the bytes may be kept elsewhere. `undefined` for any other item and for one without a picture.
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

/** The item of a picture with the picture in it; `undefined` when the two blocks are no such pair. */
export function pictureItem(picture: MediaBlock, next: ContentBlock | undefined): JsonObject | undefined {
  const result = base64Of(picture);
  if (next?.type !== 'unknown' || !isFrame(next) || result === undefined) return undefined;
  return { ...(next.raw as JsonObject), result };
}

/** Whether a block is the item of a picture that stands in front of it. It goes back with that or not at all. */
export function isFrame(block: UnknownBlock): boolean {
  const { type, result } = block.raw as WireObject;
  return type === 'image_generation_call' && result === null;
}
