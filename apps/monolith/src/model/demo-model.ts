import { textBlock, textOf } from '@ravi/kernel';
import type { ContentBlock, ModelEvent, ModelProvider, ModelRequest } from '@ravi/kernel';

/** The id by which the scripted model is known. */
export const demoModelId = 'ravi-demo';

const noUsage = { inputTokens: 0, outputTokens: 0 };

/**
 * A model without a model, for an installation that has no key: it runs the configured script once with `tool_chain`
 * and tells what came of it. Without a script it says what it is.
 */
export function createDemoModel({ script }: { readonly script: string | undefined }): ModelProvider {
  return {
    id: demoModelId,
    async *stream(request, { signal }): AsyncIterable<ModelEvent> {
      const answer = answerTo(request, script);
      for (const block of answer) {
        if (signal.aborted) {
          yield {
            type: 'error',
            error: { code: 'E_CANCELLED', message: 'The request was cancelled', retryable: false },
          };
          return;
        }
        yield* eventsOf(block);
      }
      const isCall = answer.some(({ type }) => type === 'tool_use');
      yield { type: 'finish', reason: isCall ? 'tool-use' : 'end', usage: noUsage };
    },
  };
}

function answerTo({ messages, tools }: ModelRequest, script: string | undefined): readonly ContentBlock[] {
  const last = messages.at(-1)?.content ?? [];
  const result = last.find((block) => block.type === 'tool_result');
  if (result !== undefined) return [textBlock(`This is what the script came to:\n\n${textOf(result.content)}`)];
  if (script === undefined || !tools.some(({ name }) => name === 'tool_chain')) {
    const names = tools.map(({ name }) => name).join(', ');
    return [
      textBlock(`I am a scripted demonstration and no model. Set a key of a provider to get one. My tools: ${names}`),
    ];
  }
  return [
    textBlock('I write one script for this, so that the data stays out of our conversation.'),
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
