import type { AgentContext, AgentMiddleware } from '@ravi/agents';
import { isKernelError } from '@ravi/kernel';
import type { ContentBlock, ExchangeStore, JsonValue, Logger, ModelEvent, ModelRequest } from '@ravi/kernel';
import { createPromptWriter } from './prompt-reference.ts';
import type { PromptWriter } from './prompt-reference.ts';
import type { ExchangeRecord } from './stored-exchanges.ts';

// Smaller fields take less space in the exchange than their digest.
const minSharedCharacters = 200;

/** Middleware that stores the exchanges of runs with their models. */
export interface ExchangeRecorder extends AgentMiddleware {
  /** Resolves when every exchange of a run is stored, or cannot be. The store refuses those of a run that has ended. */
  settled(runId: string): Promise<void>;
}

/**
 * Creates middleware that stores each request to the model and its response. Of a request it stores only what is new:
 * messages of the conversation by their numbers, and tool definitions, system prompt and other large fields once. The run
 * continues meanwhile.
 */
export function createExchangeRecorder(exchanges: ExchangeStore, logger: Logger): ExchangeRecorder {
  const writers = new WeakMap<AgentContext, PromptWriter>();
  /** Exchanges that are being stored, by run. */
  const pending = new Map<string, Set<Promise<void>>>();

  function follow(runId: string, saving: Promise<void>): Promise<void> {
    const ofRun = pending.get(runId) ?? new Set();
    pending.set(runId, ofRun.add(saving));
    return saving.finally(() => {
      ofRun.delete(saving);
      if (ofRun.size === 0) pending.delete(runId);
    });
  }

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
    async settled(runId) {
      const saving: readonly Promise<void>[] = [...(pending.get(runId) ?? [])];
      await Promise.all(saving);
    },
    async *model(request, next, context): AsyncIterable<ModelEvent> {
      const { step } = context;
      // Before the response, which adds to the conversation.
      const prompt = writerOf(context).refer(request.messages, context.messages, context.historyLength);
      const { own, shared } = splitFields(request);
      const blocks: ContentBlock[] = [];
      let saving: Promise<void> | undefined;
      const saveAnswer = (end?: ModelEvent): Promise<void> => {
        const answer = { blocks, ...(end === undefined ? {} : { end }) };
        return follow(context.runId, save(context, { step, prompt, request: own, answer }, shared));
      };
      try {
        for await (const event of next(request)) {
          if (event.type === 'block') blocks.push(event.block);
          // Before the run reads it, because the run may end soon after it.
          if (event.type === 'finish' || event.type === 'error') saving ??= saveAnswer(event);
          yield event;
        }
      } finally {
        // The run stops reading after the last event, or before it if it is cancelled.
        await (saving ?? saveAnswer());
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
