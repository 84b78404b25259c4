import type { Histogram, Meter } from '@opentelemetry/api';

/** What is measured, all as distributions. */
export interface Instruments {
  /** Seconds until the answer of a model was there. */
  readonly answerDuration: Histogram;
  /** Tokens of one answer, input and output apart. */
  readonly tokenUsage: Histogram;
  readonly agentDuration: Histogram;
  readonly toolDuration: Histogram;
}

// The bounds that the conventions advise: powers of two, and of four.
const secondBounds = Array.from({ length: 14 }, (_, index) => 0.01 * 2 ** index);
const tokenBounds = Array.from({ length: 14 }, (_, index) => 4 ** index);

/** The instruments of a runtime. */
export function createInstruments(meter: Meter): Instruments {
  const seconds = (name: string, description: string): Histogram =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: secondBounds } });
  return {
    answerDuration: seconds('gen_ai.client.operation.duration', 'GenAI operation duration.'),
    tokenUsage: meter.createHistogram('gen_ai.client.token.usage', {
      description: 'Number of input and output tokens used.',
      unit: '{token}',
      advice: { explicitBucketBoundaries: tokenBounds },
    }),
    agentDuration: seconds('gen_ai.invoke_agent.duration', 'Duration of runs of agents.'),
    toolDuration: seconds('gen_ai.execute_tool.duration', 'Duration of tool calls, approvals included.'),
  };
}
