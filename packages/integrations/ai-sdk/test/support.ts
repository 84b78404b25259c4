import { createGateway } from '@ravi/gateway-kit';
import type { Gateway, GatewayOptions } from '@ravi/gateway-kit';
import { defineTool } from '@ravi/kernel';
import type { AnyTool, JsonObject } from '@ravi/kernel';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';

type GenerateResult = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>;
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

/** One response: text, or calls of tools. */
export type Turn = string | readonly { readonly id: string; readonly name: string; readonly input: unknown }[];

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

/** Creates the mock model of the SDK. It answers with these turns, in this order, whole or as a stream. */
export function createModel(...turns: readonly Turn[]): MockLanguageModelV4 {
  let position = 0;
  const next = (): GenerateResult => {
    const turn = turns[position++];
    if (turn === undefined) throw new Error(`The model has only ${turns.length} turns`);
    return resultOf(turn);
  };
  return new MockLanguageModelV4({
    doGenerate: async () => next(),
    doStream: async () => ({ stream: simulateReadableStream({ chunks: partsOf(next()) }) }),
  });
}

function resultOf(turn: Turn): GenerateResult {
  const isText = typeof turn === 'string';
  return {
    content: isText
      ? [{ type: 'text', text: turn }]
      : turn.map(({ id, name, input }) => ({
          type: 'tool-call',
          toolCallId: id,
          toolName: name,
          input: JSON.stringify(input),
        })),
    finishReason: { unified: isText ? 'stop' : 'tool-calls', raw: undefined },
    usage,
    warnings: [],
  };
}

function partsOf({ content, finishReason }: GenerateResult): StreamPart[] {
  const parts = content.flatMap((part, index): StreamPart[] => {
    if (part.type !== 'text') return [part as StreamPart];
    const id = String(index);
    return [
      { type: 'text-start', id },
      { type: 'text-delta', id, delta: part.text },
      { type: 'text-end', id },
    ];
  });
  return [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason, usage }];
}

/** A gateway over a shop that records what ran. */
export interface Shop {
  readonly gateway: Gateway;
  readonly refunds: readonly JsonObject[];
  readonly lookups: readonly JsonObject[];
}

export function createShop({
  tools = [],
  ...options
}: Partial<GatewayOptions> & { tools?: readonly AnyTool[] } = {}): Shop {
  const refunds: JsonObject[] = [];
  const lookups: JsonObject[] = [];
  const find = defineTool({
    name: 'find_order',
    description: 'Finds an order',
    risk: 'safe',
    inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    execute: (args) => {
      lookups.push({ ...args });
      return { id: args.id, cents: 500 };
    },
  });
  const refund = defineTool({
    name: 'refund_order',
    description: 'Gives money back',
    risk: 'high',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string' }, cents: { type: 'integer' } },
      required: ['id', 'cents'],
    },
    classifyRisk: ({ id, cents }) => ({ risk: 'high', summary: `${cents} cents for ${id}` }),
    execute: (args) => {
      refunds.push({ ...args });
      return `refunded ${args.cents}`;
    },
  });
  return { refunds, lookups, gateway: createGateway({ ...options, tools: [find, refund, ...tools] }) };
}

/** Call of the model. */
export function refundCall(
  cents = 100,
  id = 'call-1',
): { readonly id: string; readonly name: string; readonly input: JsonObject } {
  return { id, name: 'refund_order', input: { id: 'A1', cents } };
}
