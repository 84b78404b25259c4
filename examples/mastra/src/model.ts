import type { MastraModelConfig } from '@mastra/core/llm';
import { MockLanguageModelV4 } from 'ai/test';

const code = `
const orders = await tools.list_orders({});
return Promise.all(orders.map(({ order }) => tools.refund_order({ order })));`;

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** Model that runs one script and then reports: the mock model of the AI SDK. */
export const model: MastraModelConfig = new MockLanguageModelV4({
  doGenerate: [
    {
      content: [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'tool_chain', input: JSON.stringify({ code }) }],
      finishReason: { unified: 'tool-calls', raw: undefined },
      usage,
      warnings: [],
    },
    {
      content: [{ type: 'text', text: 'All orders are refunded.' }],
      finishReason: { unified: 'stop', raw: undefined },
      usage,
      warnings: [],
    },
  ],
  // Mastra has types of its own for models.
}) as unknown as MastraModelConfig;
