import { MockLanguageModelV4 } from 'ai/test';

type Result = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>;
type Prompt = Parameters<MockLanguageModelV4['doGenerate']>[0]['prompt'];

const script = `
  const orders = await tools.list_orders({});
  const late = orders.filter((order) => order.isLate);
  for (const { id, cents } of late) await tools.refund_order({ id, cents });
  return late.length + ' orders refunded';
`;

/** Creates the mock model of the SDK, which runs a script and continues it whenever it waits for approval. */
export function createModel(): MockLanguageModelV4 {
  let calls = 0;
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const told = lastResultIn(prompt);
      if (told === undefined) return callOf(`call-${++calls}`, 'tool_chain', { code: script });
      if (!told.startsWith('The script waits')) return textOf(told);
      const waiting: unknown = JSON.parse(told.slice(told.indexOf('\n{')));
      return callOf(`call-${++calls}`, 'tool_chain_continue', waiting);
    },
  });
}

function lastResultIn(prompt: Prompt): string | undefined {
  const last = prompt.at(-1);
  const part = last?.role === 'tool' ? last.content.at(-1) : undefined;
  return part?.type === 'tool-result' && part.output.type === 'text' ? part.output.value : undefined;
}

const rest: Pick<Result, 'usage' | 'warnings'> = {
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  },
  warnings: [],
};

function callOf(toolCallId: string, toolName: string, input: unknown): Result {
  const call = { type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) } as const;
  return { content: [call], finishReason: { unified: 'tool-calls', raw: undefined }, ...rest };
}

function textOf(text: string): Result {
  return { content: [{ type: 'text', text }], finishReason: { unified: 'stop', raw: undefined }, ...rest };
}
