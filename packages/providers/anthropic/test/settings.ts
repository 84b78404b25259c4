import type { ModelEvent } from '@ravi/kernel';
import type { ModelDecoder } from '@ravi/provider-kit';
import { createMessagesDecoder, wireSettings } from '../src/index.ts';
import type { AnthropicOptions, WireContext, WireSettings } from '../src/index.ts';

/** Settings of the encoder as the provider makes them. */
export function settingsFor(model = 'claude-sonnet-4-6', more: Partial<AnthropicOptions> = {}): WireSettings {
  return wireSettings({ model, ...more });
}

export const plainContext: WireContext = {
  usedIds: [],
  source: 'test',
  nameOf: (name) => name,
  nativeTool: () => undefined,
};

/** Makes decoders of answers to a request with this context. */
export function decoderFor(context: WireContext = plainContext): (emit: (event: ModelEvent) => void) => ModelDecoder {
  return (emit) => createMessagesDecoder(context, emit);
}
