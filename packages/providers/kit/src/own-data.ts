import type { ContentBlock, JsonValue, ModelMessage, ModelWarning, OpaqueData } from '@ravi/kernel';

/** Returns the opaque data of a block for this source; `undefined` if it has none or belongs to another source. */
export function ownData(block: { readonly opaque?: OpaqueData }, source: string): JsonValue | undefined {
  return block.opaque?.source === source ? block.opaque.data : undefined;
}

/** Returns true if only another source can read a block; such a block is not sent. */
export function isForeign(block: ContentBlock, source: string): boolean {
  return block.type === 'unknown' && block.source !== source;
}

/**
 * Returns the warning about blocks of other sources. Blocks without a source are for people and are dropped silently.
 */
export function foreignWarnings(messages: readonly ModelMessage[], source: string): ModelWarning[] {
  const foreign = messages
    .flatMap(({ content }) => content)
    .filter((block) => block.type === 'unknown' && block.source !== undefined && block.source !== source);
  if (foreign.length === 0) return [];
  return [{ code: 'block-dropped', message: `${foreign.length} blocks of other models are not sent` }];
}
