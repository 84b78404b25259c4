import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Call that a scripted model makes. Tools of an MCP server are named `mcp__<server>__<tool>`. */
export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Response of a scripted model: calls of tools, or a text that ends the turn. */
export type ScriptedResponse = string | readonly ScriptedCall[];

/** Request that the scripted model received, as far as scripts and tests read it. */
export interface ScriptedRequest {
  readonly model: string;
  readonly system?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly input_schema?: Readonly<Record<string, unknown>>;
  }[];
}

/** Local endpoint that speaks the stream of Anthropic's messages, for tests and examples without a key. */
export interface ScriptedModel extends AsyncDisposable {
  /** Address for `ANTHROPIC_BASE_URL`. */
  readonly url: string;
  /** Requests in the order in which they arrived. */
  readonly requests: readonly ScriptedRequest[];
  /**
   * Returns the environment of a Claude Code process that talks to this model only and keeps its files in `home`, an existing
   * folder.
   */
  environment(home: string): Record<string, string>;
}

/**
 * Starts a model on loopback that answers each request with the next response, or with what a function returns for the request.
 * Without a further response it answers `done`.
 */
export async function startScriptedModel(
  script: readonly ScriptedResponse[] | ((request: ScriptedRequest) => ScriptedResponse),
): Promise<ScriptedModel> {
  const requests: ScriptedRequest[] = [];
  const rest = typeof script === 'function' ? [] : [...script];
  const answer = typeof script === 'function' ? script : (): ScriptedResponse => rest.shift() ?? 'done';
  const server = createServer((request, response) => {
    handle(request, response, (body) => {
      requests.push(body);
      return answer(body);
    }).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    environment: (home) => ({
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      CLAUDE_CONFIG_DIR: home,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'scripted',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (body: ScriptedRequest) => ScriptedResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const path = (request.url ?? '').split('?')[0];
  if (request.method !== 'POST' || path !== '/v1/messages') {
    response.writeHead(path === '/v1/messages/count_tokens' ? 200 : 404, { 'content-type': 'application/json' });
    response.end('{"input_tokens":1}');
    return;
  }
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ScriptedRequest;
  stream(response, body.model, answer(body));
}

function stream(response: ServerResponse, model: string, answer: ScriptedResponse): void {
  const blocks = typeof answer === 'string' ? [answer] : answer;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (event: { readonly type: string } & Readonly<Record<string, unknown>>): void => {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: `msg_${crypto.randomUUID()}`, type: 'message', role: 'assistant', model, content: [], usage };
  send({ type: 'message_start', message: { ...message, stop_reason: null } });
  for (const [index, block] of blocks.entries()) {
    const [content_block, delta] = typeof block === 'string' ? textBlock(block) : callBlock(block);
    send({ type: 'content_block_start', index, content_block });
    send({ type: 'content_block_delta', index, delta });
    send({ type: 'content_block_stop', index });
  }
  const stop_reason = typeof answer === 'string' ? 'end_turn' : 'tool_use';
  send({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 1 } });
  send({ type: 'message_stop' });
  response.end();
}

type Block = readonly [start: Readonly<Record<string, unknown>>, delta: Readonly<Record<string, unknown>>];

function textBlock(text: string): Block {
  return [
    { type: 'text', text: '' },
    { type: 'text_delta', text },
  ];
}

function callBlock({ id, name, input }: ScriptedCall): Block {
  return [
    { type: 'tool_use', id, name, input: {} },
    { type: 'input_json_delta', partial_json: JSON.stringify(input) },
  ];
}
