import type { AgentContext, AgentMiddleware } from '@ravi/agents';
import { isKernelError } from '@ravi/kernel';
import type { ContentBlock, ExchangeStore, JsonValue, Logger, ModelEvent, ModelRequest } from '@ravi/kernel';
import { createPromptWriter } from './prompt-reference.ts';
import type { PromptWriter } from './prompt-reference.ts';
import type { ExchangeRecord } from './stored-exchanges.ts';

// Smaller fields take less space in the exchange than their digest.
const minSharedCharacters = 200;

/**
 * Creates middleware that stores each request to the model and its response. Of a request it stores only what is new:
 * messages of the conversation by their numbers, and tool definitions, system prompt and other large fields once.
 */
export function createExchangeRecorder(exchanges: ExchangeStore, logger: Logger): AgentMiddleware {
  const writers = new WeakMap<AgentContext, PromptWriter>();

  function writerOf(context: AgentContext): PromptWriter {
    const writer = writers.get(context) ?? createPromptWriter();
    writers.set(context, writer);
    return writer;
  }

  async function save(context: AgentContext, record: ExchangeRecord, shared: Record<string, JsonValue>): Promise<void> {
    const { runId, writer } = context;
    try {
      await exchanges.append({ runId, record: toJson(record), shared }, writer);
    } catch (error) {
      // The next exchange must not refer to messages that this one would have stored.
      writers.delete(context);
      // Another process has the run.
      if (isKernelError(error, 'E_STATE_CONFLICT')) return;
      logger.error('an exchange with a model could not be stored', { runId, error });
    }
  }

  return {
    includesSubAgents: true,
    async *model(request, next, context): AsyncIterable<ModelEvent> {
      const { step } = context;
      // Before the response, which adds to the conversation.
      const prompt = writerOf(context).refer(request.messages, context.messages, context.historyLength);
      const { own, shared } = splitFields(request);
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
        const answer = { blocks, ...(end === undefined ? {} : { end }) };
        await save(context, { step, prompt, request: own, answer }, shared);
      }
    },
  };
}

/** Returns the small and the large fields of a request without its messages. */
function splitFields(request: ModelRequest): {
  readonly own: Record<string, JsonValue>;
  readonly shared: Record<string, JsonValue>;
} {
  const own: Record<string, JsonValue> = {};
  const shared: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(request)) {
    if (name === 'messages') continue;
    const text = textOf(value);
    if (text !== undefined) (text.length < minSharedCharacters ? own : shared)[name] = JSON.parse(text) as JsonValue;
  }
  return { own, shared };
}

function toJson(value: unknown): JsonValue {
  return JSON.parse(textOf(value) ?? 'null') as JsonValue;
}

// Media are in the artifact store; only their size is stored here.
function textOf(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, part: unknown) =>
    part instanceof Uint8Array ? { bytes: part.byteLength } : part,
  );
}
