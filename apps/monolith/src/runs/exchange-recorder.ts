import type { AgentContext, AgentMiddleware } from '@ravi/agents';
import type { ContentBlock, JsonValue, Logger, ModelEvent, ModelRequest } from '@ravi/kernel';
import type { StoredEvents } from './stored-events.ts';

/** Creates middleware that stores the exact prompt, tool definitions and response of each model request. */
export function createExchangeRecorder(stored: StoredEvents, logger: Logger): AgentMiddleware {
  const counts = new WeakMap<AgentContext, number>();

  async function save(context: AgentContext, request: ModelRequest, answer: JsonValue): Promise<void> {
    const { runId, step } = context;
    const number = (counts.get(context) ?? 0) + 1;
    counts.set(context, number);
    const exchange = { step, request: toJson(request), answer };
    try {
      await stored.saveExchange(runId, number, exchange);
    } catch (error) {
      logger.error('an exchange with a model could not be stored', { runId, error });
    }
  }

  return {
    async *model(request, next, context): AsyncIterable<ModelEvent> {
      const blocks: ContentBlock[] = [];
      let end: ModelEvent | undefined;
      try {
        for await (const event of next(request)) {
          if (event.type === 'block') blocks.push(event.block);
          if (event.type === 'finish' || event.type === 'error') end = event;
          yield event;
        }
      } finally {
        // In `finally`, because the run stops reading after the last event.
        await save(context, request, toJson({ blocks, ...(end === undefined ? {} : { end }) }));
      }
    },
  };
}

// Media are in the artifact store; only their size is stored here.
function toJson(value: unknown): JsonValue {
  const text = JSON.stringify(value, (_key, part: unknown) =>
    part instanceof Uint8Array ? { bytes: part.byteLength } : part,
  );
  return JSON.parse(text) as JsonValue;
}
