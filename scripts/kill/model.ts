import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { nextTurn } from './workloads.ts';
import type { Task, Turn } from './workloads.ts';

/** Model on loopback, outside the killed processes. */
export interface WorkloadModel extends AsyncDisposable {
  /** URL with the version of the API. */
  readonly url: string;
  readonly requests: number;
  /** Requests that it could not answer, and why. */
  readonly problems: readonly string[];
  /** Results of calls that it received, each text of a call once. */
  readonly told: readonly ToldResult[];
}

/** Result of a call that the model received. */
export interface ToldResult {
  /** Label of the workload, with that of its sub-agent. */
  readonly label: string;
  readonly callId: string;
  readonly text: string;
}

interface Message {
  readonly role: string;
  readonly content?: string | readonly { readonly text?: string }[] | null;
  /** Id of the call whose result it is. */
  readonly tool_call_id?: string;
}

const pauseBetweenChunksMs = 15;

/**
 * Starts a model that speaks Chat Completions. Its response depends only on the conversation: the task in the first message
 * of the user and the number of responses so far.
 */
export async function startWorkloadModel(): Promise<WorkloadModel> {
  let requests = 0;
  const problems: string[] = [];
  const told = new Map<string, ToldResult>();
  const server = createServer((request, response) => {
    requests++;
    json(request)
      .then((body) => respond((body as { readonly messages: readonly Message[] }).messages, response, told))
      .catch((error: unknown) => {
        problems.push(String(error));
        if (!response.headersSent) response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { message: String(error), type: 'invalid_request_error' } }));
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    problems,
    get told() {
      return [...told.values()];
    },
    get requests() {
      return requests;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function respond(
  messages: readonly Message[],
  response: ServerResponse,
  told: Map<string, ToldResult>,
): Promise<void> {
  const task = textOf(messages.find(({ role }) => role === 'user'));
  const { label } = JSON.parse(task) as Task;
  const results = messages.filter(({ role }) => role === 'tool');
  for (const message of results) {
    const result = { label, callId: message.tool_call_id ?? '', text: textOf(message) };
    told.set(JSON.stringify(result), result);
  }
  const answered = messages.filter(({ role }) => role === 'assistant').length;
  const chunks = chunksOf(nextTurn(task, answered, results.map(textOf)), `${label.replaceAll(/\W/g, '_')}_${answered}`);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) {
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    await pause(pauseBetweenChunksMs);
  }
  response.end('data: [DONE]\n\n');
}

function textOf({ content }: Message = { role: 'user' }): string {
  return typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
}

function chunksOf({ text, calls = [] }: Turn, place: string): readonly object[] {
  const deltas: object[] = (text ?? 'Next step.').split(/(?<= )/).map((content) => ({ role: 'assistant', content }));
  for (const [index, { name, arguments: args }] of calls.entries()) {
    const id = `call_${place}_${index}`;
    const call = { index, id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
    deltas.push({ tool_calls: [call] });
  }
  return [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }] },
    { choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } },
  ];
}
