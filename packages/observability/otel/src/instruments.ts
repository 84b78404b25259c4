import type { Histogram, Meter } from '@opentelemetry/api';

/** Histograms of a runtime. */
export interface Instruments {
  /** Duration of a model call in seconds. */
  readonly modelCallDuration: Histogram;
  /** Tokens of one model call, input and output separately. */
  readonly tokenUsage: Histogram;
  readonly agentDuration: Histogram;
  readonly toolDuration: Histogram;
}

// The bounds that the conventions recommend: powers of two and of four.
const secondBounds = Array.from({ length: 14 }, (_, index) => 0.01 * 2 ** index);
const tokenBounds = Array.from({ length: 14 }, (_, index) => 4 ** index);

/** Creates the instruments of a runtime. */
export function createInstruments(meter: Meter): Instruments {
  const seconds = (name: string, description: string): Histogram =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: secondBounds } });
  return {
    modelCallDuration: seconds('gen_ai.client.operation.duration', 'GenAI operation duration.'),
    tokenUsage: meter.createHistogram('gen_ai.client.token.usage', {
      description: 'Number of input and output tokens used.',
      unit: '{token}',
      advice: { explicitBucketBoundaries: tokenBounds },
    }),
    agentDuration: seconds('gen_ai.invoke_agent.duration', 'Duration of agent runs.'),
    toolDuration: seconds('gen_ai.execute_tool.duration', 'Duration of tool calls, approvals included.'),
  };
}
