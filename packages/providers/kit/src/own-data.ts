import type { ContentBlock, JsonValue, ModelMessage, ModelWarning, OpaqueData } from '@ravi/kernel';

/** What a block keeps for this source; `undefined` when it has nothing or it is another's. */
export function ownData(block: { readonly opaque?: OpaqueData }, source: string): JsonValue | undefined {
  return block.opaque?.source === source ? block.opaque.data : undefined;
}

/** Whether a block is of a kind that only another source knows; it stays behind. */
export function isForeign(block: ContentBlock, source: string): boolean {
  return block.type === 'unknown' && block.source !== source;
}

/** The warning about blocks that only another source knows. Those without any are for people, and nobody misses them. */
export function foreignWarnings(messages: readonly ModelMessage[], source: string): ModelWarning[] {
  const foreign = messages
    .flatMap(({ content }) => content)
    .filter((block) => block.type === 'unknown' && block.source !== undefined && block.source !== source);
  if (foreign.length === 0) return [];
  return [{ code: 'block-dropped', message: `${foreign.length} blocks that only another model knows are not sent` }];
}
