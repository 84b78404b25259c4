import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAiProvider } from '@ravi/provider-openai';
import OpenAI from 'openai';
import { argumentPieces, readWithAi, sse, streamBytes } from './scene.ts';
import type { DecodeScene } from './scene.ts';

/** OpenAI's two interfaces. */
export function openAiScenes(): readonly DecodeScene[] {
  return (['chat', 'responses'] as const).map((api) => ({
    name: `1 MB of a tool call, ${api}`,
    text: api === 'chat' ? chatStream() : responsesStream(),
    goal: '≤ 9 ms',
    ours: (answering) => createOpenAiProvider({ model: 'm', api, fetch: answering, apiKey: 'k' }),
    peers: [
      {
        name: '`openai`, accumulating',
        async read(answering) {
          const client = new OpenAI({ apiKey: 'k', fetch: answering });
          if (api === 'chat') await client.chat.completions.stream({ model: 'm', messages: [] }).finalChatCompletion();
          else await client.responses.stream({ model: 'm', input: 'x' }).finalResponse();
        },
      },
      {
        name: '`@ai-sdk/openai`',
        async read(answering) {
          const ai = createOpenAI({ apiKey: 'k', fetch: answering });
          await readWithAi(api === 'chat' ? ai.chat('m') : ai.responses('m'));
        },
      },
    ],
  }));
}

function chatStream(): string {
  const chunk = (delta: object, finish: string | null = null): string =>
    sse({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'write', arguments: '' } };
  let text = chunk({ role: 'assistant', tool_calls: [call] });
  for (const piece of argumentPieces()) {
    if (text.length > streamBytes) break;
    text += chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
  }
  text += chunk({ tool_calls: [{ index: 0, function: { arguments: '"}' } }] }) + chunk({}, 'tool_calls');
  return `${text}data: [DONE]\n\n`;
}

function responsesStream(): string {
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'in_progress', output: [] };
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'write', arguments: '' };
  const at = { output_index: 0, item_id: 'fc_1' };
  let written = '';
  let text =
    sse({ type: 'response.created', response }) +
    sse({ type: 'response.output_item.added', output_index: 0, item: { ...call, status: 'in_progress' } });
  const delta = (piece: string): void => {
    written += piece;
    text += sse({ type: 'response.function_call_arguments.delta', ...at, delta: piece });
  };
  for (const piece of argumentPieces()) {
    if (text.length > streamBytes) break;
    delta(piece);
  }
  delta('"}');
  const item = { ...call, arguments: written, status: 'completed' };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  text += sse({ type: 'response.function_call_arguments.done', ...at, arguments: written });
  text += sse({ type: 'response.output_item.done', output_index: 0, item });
  return (
    text + sse({ type: 'response.completed', response: { ...response, status: 'completed', output: [item], usage } })
  );
}
