import { createOpenAI } from '@ai-sdk/openai';
import type { ModelRequest } from '@ravi/kernel';
import { createOpenAiProvider } from '@ravi/provider-openai';
import OpenAI from 'openai';
import type { BenchGroup } from './group.ts';
import { rowsOf } from './rows-of.ts';

const streamBytes = 1_048_576;
const networkBytes = 65_536;
const goal = '≤ 9 ms';

/** What reading 1 MB of a streamed tool call takes, from bytes to whole arguments: ours, the official library and `ai`'s. */
export const benchDecode: BenchGroup = async ({ rounds }) => {
  const scenes = [
    { api: 'chat', text: chatStream() },
    { api: 'responses', text: responsesStream() },
  ] as const;
  const rows = [];
  for (const { api, text } of scenes) {
    const bytes = new TextEncoder().encode(text);
    const answering: typeof fetch = async () =>
      new Response(piecesOf(bytes), { headers: { 'content-type': 'text/event-stream' } });
    const ours = createOpenAiProvider({ model: 'm', api, fetch: answering, apiKey: 'k' });
    const client = new OpenAI({ apiKey: 'k', fetch: answering });
    const ai = createOpenAI({ apiKey: 'k', fetch: answering });
    const model = api === 'chat' ? ai.chat('m') : ai.responses('m');
    const peers = [
      {
        name: '`openai`, accumulating',
        measure: () =>
          timed(async () => {
            if (api === 'chat')
              await client.chat.completions.stream({ model: 'm', messages: [] }).finalChatCompletion();
            else await client.responses.stream({ model: 'm', input: 'x' }).finalResponse();
          }),
      },
      {
        name: '`@ai-sdk/openai`',
        measure: () =>
          timed(async () => {
            const prompt = [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] as const;
            const { stream } = await model.doStream({ prompt: [...prompt] } as never);
            for await (const part of stream) if (part.type === 'error') throw part.error;
          }),
      },
    ];
    rows.push(
      ...(await rowsOf(
        {
          group: 'decode',
          name: `1 MB of a tool call, ${api}`,
          unit: 'ms',
          goal,
          ours: { name: 'ours', measure: () => timed(() => read(ours)) },
          peers,
          floor: { name: 'scan and parse', measure: () => timed(async () => scanAndParse(bytes)) },
        },
        rounds,
      )),
    );
  }
  return rows;
};

const question: ModelRequest = { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }], tools: [] };

async function read(provider: ReturnType<typeof createOpenAiProvider>): Promise<void> {
  let calls = 0;
  for await (const event of provider.stream(question, { signal: new AbortController().signal })) {
    if (event.type === 'error') throw new TypeError(event.error.message);
    if (event.type === 'block' && event.block.type === 'tool_use' && event.block.invalid === undefined) calls++;
  }
  if (calls !== 1) throw new TypeError(`${calls} calls instead of one`);
}

/** What nobody can do without: find the events in the bytes and parse each. */
function scanAndParse(bytes: Uint8Array): void {
  const text = new TextDecoder().decode(bytes);
  for (let start = 0; ;) {
    const end = text.indexOf('\n\n', start);
    if (end === -1) return;
    const data = text.slice(start + 6, end);
    if (data !== '[DONE]') JSON.parse(data);
    start = end + 2;
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function piecesOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + networkBytes));
      at += networkBytes;
      return undefined;
    },
  });
}

function* argumentPieces(): Generator<string, void, undefined> {
  yield '{"text":"';
  for (;;) yield 'some words, ';
}

function sse(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
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
