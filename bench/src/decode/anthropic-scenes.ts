import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { createAnthropicProvider } from '@ravi/provider-anthropic';
import { argumentPieces, readWithAi, sse, streamBytes } from './scene.ts';
import type { DecodeScene } from './scene.ts';

const model = 'claude-sonnet-4-6';

/** Anthropic's Messages. */
export function anthropicScenes(): readonly DecodeScene[] {
  const asked = { model, max_tokens: 10, messages: [] };
  return [
    {
      name: '1 MB of a tool call, messages',
      text: messagesStream(),
      goal: '≤ 10 ms',
      ours: (answering) => createAnthropicProvider({ model, fetch: answering, apiKey: 'k' }),
      peers: [
        {
          name: '`@anthropic-ai/sdk`, raw',
          async read(answering) {
            const client = new Anthropic({ apiKey: 'k', fetch: answering });
            for await (const event of await client.messages.create({ ...asked, stream: true })) void event;
          },
        },
        {
          name: '`@anthropic-ai/sdk`, accumulating',
          async read(answering) {
            await new Anthropic({ apiKey: 'k', fetch: answering }).messages.stream(asked).finalMessage();
          },
        },
        {
          name: '`@ai-sdk/anthropic`',
          read: (answering) => readWithAi(createAnthropic({ apiKey: 'k', fetch: answering })(model)),
        },
      ],
    },
  ];
}

function messagesStream(): string {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage };
  const call = { type: 'tool_use', id: 'toolu_1', name: 'write', input: {} };
  const delta = (piece: string): string =>
    sse({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: piece } });
  let text =
    sse({ type: 'message_start', message: { ...message, stop_sequence: null } }) +
    sse({ type: 'content_block_start', index: 0, content_block: call });
  for (const piece of argumentPieces()) {
    if (text.length > streamBytes) break;
    text += delta(piece);
  }
  text += delta('"}') + sse({ type: 'content_block_stop', index: 0 });
  text += sse({ type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage });
  return (
    text.replaceAll(/^data: (?=\{"type":"(\w+)")/gmu, 'event: $1\ndata: ') +
    'event: message_stop\ndata: {"type":"message_stop"}\n\n'
  );
}
