import type { ModelEvent } from '@ravi/kernel';
import type { ModelDecoder } from '@ravi/provider-kit';
import { createMessagesDecoder, wireSettings } from '../src/index.ts';
import type { AnthropicOptions, WireContext, WireSettings } from '../src/index.ts';

/** Returns encoder settings as the provider creates them. */
export function settingsFor(model = 'claude-sonnet-4-6', more: Partial<AnthropicOptions> = {}): WireSettings {
  return wireSettings({ model, ...more });
}

export const plainContext: WireContext = {
  usedIds: [],
  source: 'test',
  nameOf: (name) => name,
  nativeTool: () => undefined,
};

/** Returns a factory of decoders for a request with this context. */
export function decoderFor(context: WireContext = plainContext): (emit: (event: ModelEvent) => void) => ModelDecoder {
  return (emit) => createMessagesDecoder(context, emit);
}
