import type { MastraModelConfig } from '@mastra/core/llm';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';

type Generate = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>;
type Content = Generate['content'][number];
type Part =
  Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer Each> ? Each : never;

/** Call that the model makes. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Calls of one response, or a text. */
export type Step = readonly ModelCall[] | string;

/** Creates a model for an agent, which takes these steps and then says `done`. */
export function createModel(steps: readonly Step[]): MastraModelConfig {
  return modelOf(createMock(steps));
}

/** Returns a mock with the type that Mastra expects: it has types of its own for models. */
export function modelOf(mock: MockLanguageModelV4): MastraModelConfig {
  return mock as unknown as MastraModelConfig;
}

/** Creates the mock model of the AI SDK for {@link createModel}. */
export function createMock(steps: readonly Step[]): MockLanguageModelV4 {
  const rest = [...steps];
  const next = (): Step => rest.shift() ?? 'done';
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const step = next();
      return { content: contentOf(step), ...endOf(step), warnings: [] };
    },
    doStream: async () => {
      const step = next();
      const parts: readonly Part[] = [
        { type: 'stream-start', warnings: [] },
        ...contentOf(step).flatMap((each) => partsOf(each)),
        { type: 'finish', ...endOf(step) },
      ];
      return { stream: simulateReadableStream({ chunks: [...parts] }) };
    },
  });
}

function contentOf(step: Step): Content[] {
  if (typeof step === 'string') return [{ type: 'text', text: step }];
  return step.map(({ id, name, args }) => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: JSON.stringify(args),
  }));
}

function partsOf(content: Content): readonly Part[] {
  if (content.type !== 'text') return [content as Part];
  return [
    { type: 'text-start', id: 'text-1' },
    { type: 'text-delta', id: 'text-1', delta: content.text },
    { type: 'text-end', id: 'text-1' },
  ];
}

function endOf(step: Step): Pick<Generate, 'finishReason' | 'usage'> {
  return {
    finishReason: { unified: typeof step === 'string' ? 'stop' : 'tool-calls', raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
  };
}

export function refund(order: number, id = `refund-${order}`): ModelCall {
  return { id, name: 'refund_order', args: { order } };
}

export function script(code: string, id = 'script-1'): ModelCall {
  return { id, name: 'tool_chain', args: { code } };
}
