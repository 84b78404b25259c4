import type { ModelEvent } from '@ravi/kernel';

/** A delta of text or reasoning. */
export type TextDelta = Extract<ModelEvent, { readonly type: 'text-delta' | 'reasoning-delta' }>;

/**
 * Finds the text that a provider sends only in blocks. Readers of deltas, such as a chat, would otherwise not see the text
 * of a provider that does not stream.
 */
export class MissingDeltas {
  /** Deltas since the last block, by type. */
  readonly #streamed = { text: '', reasoning: '' };

  /** Returns the delta that a reader needs before this event. */
  before(event: ModelEvent): TextDelta | undefined {
    if (event.type === 'text-delta') this.#streamed.text += event.text;
    if (event.type === 'reasoning-delta') this.#streamed.reasoning += event.text;
    if (event.type !== 'block') return undefined;
    const { block } = event;
    if (block.type !== 'text' && block.type !== 'reasoning') return undefined;
    const streamed = this.#streamed[block.type];
    this.#streamed[block.type] = '';
    // Text that differs from its deltas is not repeated.
    const missing = block.text.startsWith(streamed) ? block.text.slice(streamed.length) : '';
    return missing === '' ? undefined : { type: `${block.type}-delta`, text: missing };
  }
}
