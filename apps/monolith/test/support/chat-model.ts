import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** Call in a response of a {@link ChatModel}. */
export interface ModelCall {
  readonly name: string;
  readonly args: object;
}

/** Model on loopback that speaks Chat Completions. */
export interface ChatModel extends AsyncDisposable {
  /** URL with the version of the API. */
  readonly url: string;
}

interface Message {
  readonly role: string;
  readonly content?: string | readonly { readonly text?: string }[] | null;
}

/**
 * Starts a model whose first response to a task makes the calls that `callsOf` returns for it. Its second response is `done`.
 * Any number of servers may ask it: its responses depend only on the conversation.
 */
export async function startChatModel(callsOf: (task: string) => readonly ModelCall[]): Promise<ChatModel> {
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const { messages } = body as { readonly messages: readonly Message[] };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const chunk of chunksOf(messages, callsOf)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      response.end('data: [DONE]\n\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function chunksOf(messages: readonly Message[], callsOf: (task: string) => readonly ModelCall[]): readonly object[] {
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  const deltas = messages.some(({ role }) => role === 'assistant')
    ? [{ role: 'assistant', content: 'done' }]
    : callsOf(textOfTask(messages)).map(({ name, args }, index) => ({
        tool_calls: [
          { index, id: `call_${index}`, type: 'function', function: { name, arguments: JSON.stringify(args) } },
        ],
      }));
  const reason = deltas.some((delta) => 'tool_calls' in delta) ? 'tool_calls' : 'stop';
  return [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: reason }] },
    { choices: [], usage },
  ];
}

function textOfTask(messages: readonly Message[]): string {
  const content = messages.find(({ role }) => role === 'user')?.content;
  return typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('');
}
