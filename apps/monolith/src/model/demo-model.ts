import { textBlock, textOf } from '@ravi/kernel';
import type { ContentBlock, ModelEvent, ModelProvider, ModelRequest } from '@ravi/kernel';

/** Model id of the demo model. */
export const demoModelId = 'ravi-demo';

const noUsage = { inputTokens: 0, outputTokens: 0 };

/**
 * Creates a scripted model for an installation without a provider key. It runs the configured script once with
 * `tool_chain` and reports the result. Without a script it introduces itself.
 */
export function createDemoModel({ script }: { readonly script: string | undefined }): ModelProvider {
  return {
    id: demoModelId,
    async *stream(request, { signal }): AsyncIterable<ModelEvent> {
      const content = respond(request, script);
      for (const block of content) {
        if (signal.aborted) {
          yield {
            type: 'error',
            error: { code: 'E_CANCELLED', message: 'The request was cancelled', retryable: false },
          };
          return;
        }
        yield* eventsOf(block);
      }
      const isCall = content.some(({ type }) => type === 'tool_use');
      yield { type: 'finish', reason: isCall ? 'tool-use' : 'end', usage: noUsage };
    },
  };
}

function respond({ messages, tools }: ModelRequest, script: string | undefined): readonly ContentBlock[] {
  const last = messages.at(-1)?.content ?? [];
  const result = last.find((block) => block.type === 'tool_result');
  if (result !== undefined) return [textBlock(`The script returned:\n\n${textOf(result.content)}`)];
  if (script === undefined || !tools.some(({ name }) => name === 'tool_chain')) {
    const names = tools.map(({ name }) => name).join(', ');
    return [textBlock(`I am a scripted demonstration, not a model. Set a provider key to use one. My tools: ${names}`)];
  }
  return [
    textBlock('I will write one script for this, so that the data stays out of our conversation.'),
    { type: 'tool_use', id: `demo_${crypto.randomUUID()}`, name: 'tool_chain', arguments: { code: script } },
  ];
}

function* eventsOf(block: ContentBlock): Iterable<ModelEvent> {
  if (block.type === 'text') {
    for (const word of block.text.match(/\s*\S+\s*/g) ?? []) yield { type: 'text-delta', text: word };
  }
  if (block.type === 'tool_use') yield { type: 'tool-call-start', id: block.id, name: block.name };
  yield { type: 'block', block };
}
