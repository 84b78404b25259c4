import type { ContentBlock, JsonValue, OpaqueData } from '@ravi/kernel';

/** What a block keeps for this source; `undefined` when it has nothing or it is another's. */
export function ownData(block: { readonly opaque?: OpaqueData }, source: string): JsonValue | undefined {
  return block.opaque?.source === source ? block.opaque.data : undefined;
}

/** Whether a block is of a kind that only another source knows; it stays behind. */
export function isForeign(block: ContentBlock, source: string): boolean {
  return block.type === 'unknown' && block.source !== source;
}
