import { MockLanguageModelV4 } from 'ai/test';

type Result = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>;

/** Call that the model makes. */
export interface Call {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: object;
}

/** Creates the mock model of the AI SDK, which Mastra takes too. It answers with these turns: a text, or calls. */
export function createModel(...turns: readonly (string | readonly Call[])[]): MockLanguageModelV4 {
  return new MockLanguageModelV4({ doGenerate: turns.map((turn) => resultOf(turn)) });
}

function resultOf(turn: string | readonly Call[]): Result {
  const isText = typeof turn === 'string';
  return {
    content: isText
      ? [{ type: 'text', text: turn }]
      : turn.map(({ input, ...call }) => ({ type: 'tool-call', ...call, input: JSON.stringify(input) })),
    finishReason: { unified: isText ? 'stop' : 'tool-calls', raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: 1, reasoning: undefined },
    },
    warnings: [],
  };
}
