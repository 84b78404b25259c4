import assert from 'node:assert/strict';
import { EventType } from '@ag-ui/core';
import { EventSchemas } from '@ag-ui/core/schemas';
import { createOpenAI } from '@ai-sdk/openai';
import { DefaultChatTransport, generateText, readUIMessageStream, streamText } from 'ai';
import type { LanguageModel, UIMessage } from 'ai';
import { afterAll, beforeAll, test } from 'vitest';
import { readEvents } from './support/event-reader.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const demo = `const { word } = await tools.echo({ word: 'moon' }); return word;`;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ agent: { demoScript: './demo.ts' } }, { 'demo.ts': demo }, { isServer: true });
});
afterAll(() => server[Symbol.asyncDispose]());

async function start(): Promise<string> {
  return (await server.post('/v1/runs', { kind: 'agent', task: 'demo' })).body.id;
}

function model(): LanguageModel {
  const client = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: 'not-looked-at' });
  return client.responses('ravi');
}

test("the AI SDK's OpenAI client calls the agent and receives its calls", async () => {
  const { text, toolCalls, finishReason } = await generateText({ model: model(), prompt: 'demo', maxRetries: 0 });
  assert.match(text, /moon/);
  assert.equal(finishReason, 'stop');
  assert.deepEqual(
    toolCalls.map(({ toolName, providerExecuted }) => [toolName, providerExecuted]),
    [['mcp.tool_chain', true]],
  );
});

test("the AI SDK's OpenAI client receives the response as a stream", async () => {
  const parts: string[] = [];
  let text = '';
  for await (const part of streamText({ model: model(), prompt: 'demo', maxRetries: 0 }).fullStream) {
    if (parts.at(-1) !== part.type) parts.push(part.type);
    if (part.type === 'text-delta') text += part.text;
    assert.notEqual(part.type, 'error', JSON.stringify(part));
  }
  assert.match(text, /moon/);
  for (const type of ['text-start', 'tool-call', 'tool-result', 'text-end', 'finish']) {
    assert.ok(parts.includes(type), parts.join(' '));
  }
});

test("the AI SDK's chat reads a run as one message with its text and calls", async () => {
  const runId = await start();
  const transport = new DefaultChatTransport({
    api: `${server.url}/v1/runs`,
    prepareReconnectToStreamRequest: () => ({ api: `${server.url}/v1/runs/${runId}/events?format=ai-ui` }),
  });
  const stream = await transport.reconnectToStream({ chatId: runId });
  assert.ok(stream !== null);
  let message: UIMessage | undefined;
  for await (const read of readUIMessageStream({ stream, terminateOnError: true })) message = read;
  assert.equal(message?.id, runId);
  const text = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  assert.match(text, /moon/);
  const calls = message.parts.flatMap((part) =>
    part.type === 'dynamic-tool' ? [[part.toolName, part.state, part.input] as const] : [],
  );
  assert.deepEqual(
    calls.map(([tool, state]) => [tool, state]),
    [
      ['tool_chain', 'output-available'],
      ['echo', 'output-available'],
    ],
  );
  assert.deepEqual(calls[1]?.[2], { word: 'moon' });
});

test('every AG-UI event of a run matches the AG-UI schemas, and every start has an end', async () => {
  const runId = await start();
  const open = new Set<string>();
  const types: string[] = [];
  for await (const { data } of readEvents(await fetch(`${server.url}/v1/runs/${runId}/events?format=ag-ui`))) {
    const event = EventSchemas.parse(JSON.parse(data));
    types.push(event.type);
    if (event.type === EventType.TEXT_MESSAGE_START) open.add(event.messageId);
    if (event.type === EventType.TEXT_MESSAGE_CONTENT) assert.ok(open.has(event.messageId));
    if (event.type === EventType.TEXT_MESSAGE_END) assert.ok(open.delete(event.messageId));
    if (event.type === EventType.TOOL_CALL_START) open.add(event.toolCallId);
    if (event.type === EventType.TOOL_CALL_ARGS) assert.ok(open.has(event.toolCallId));
    if (event.type === EventType.TOOL_CALL_END) assert.ok(open.delete(event.toolCallId));
    if (event.type === EventType.STEP_STARTED) open.add(event.stepName);
    if (event.type === EventType.STEP_FINISHED) assert.ok(open.delete(event.stepName));
  }
  assert.deepEqual([types[0], types.at(-1), open.size], ['RUN_STARTED', 'RUN_FINISHED', 0]);
  for (const type of ['TEXT_MESSAGE_CONTENT', 'TOOL_CALL_ARGS', 'TOOL_CALL_RESULT', 'CUSTOM']) {
    assert.ok(types.includes(type), types.join(' '));
  }
});
