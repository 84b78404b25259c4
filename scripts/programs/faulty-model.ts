import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Trouble of a model: with its first request, or with every one. */
export type Fault = 'none' | 'overloaded' | 'hangs' | 'disconnects';

/** Model on loopback that speaks Chat Completions. */
export interface FaultyModel extends AsyncDisposable {
  readonly url: string;
  /** Starts a new program: its first request, or each one, meets the fault. */
  expect(fault: Fault, isPermanent: boolean): void;
  /** Requests of the current program. */
  readonly requests: number;
}

interface Turn {
  readonly text?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments?: object }[];
}

/** Starts a model whose turns come with each request, in the header `x-turns`. */
export async function startFaultyModel(): Promise<FaultyModel> {
  let [fault, isPermanent, requests]: [Fault, boolean, number] = ['none', false, 0];
  const server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      const { messages = [] } = JSON.parse(body) as { messages?: readonly { readonly role: string }[] };
      const turns = JSON.parse(decodeURIComponent(String(request.headers['x-turns'] ?? '[]'))) as readonly Turn[];
      const turn = turns[messages.filter(({ role }) => role === 'assistant').length] ?? { text: 'Done.' };
      const isFaulty = isPermanent || requests === 0;
      requests++;
      answer(isFaulty ? fault : 'none', turn, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    expect: (...next) => void ([fault, isPermanent, requests] = [...next, 0]),
    get requests() {
      return requests;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(fault: Fault, turn: Turn, response: ServerResponse): void {
  if (fault === 'hangs') return;
  if (fault === 'overloaded') {
    response.writeHead(529, { 'content-type': 'application/json' });
    response.end('{"error":{"message":"Overloaded","type":"overloaded_error"}}');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const [first = '', ...rest] = chunksOf(turn);
  response.write(first);
  if (fault === 'disconnects') return void setTimeout(() => response.destroy(), 20);
  response.end(rest.join(''));
}

function chunksOf({ text: said, toolCalls = [] }: Turn): string[] {
  const calls = toolCalls.map(({ name, arguments: args = {} }, index) => ({
    tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
  }));
  const deltas = [{ role: 'assistant', content: said ?? '' }, ...calls];
  const chunks: object[] = deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
  chunks.push({ choices: [{ index: 0, delta: {}, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }] });
  return [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'];
}
