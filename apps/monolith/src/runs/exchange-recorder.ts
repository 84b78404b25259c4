import type { AgentContext, AgentMiddleware } from '@ravi/agents';
import { isKernelError } from '@ravi/kernel';
import type {
  Clock,
  ContentBlock,
  ExchangeStore,
  JsonValue,
  Logger,
  ModelEvent,
  ModelRequest,
  StoredExchange,
} from '@ravi/kernel';
import { readPages, retryWhileUnavailable } from '@ravi/support';
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

/** Options of {@link createExchangeRecorder}. */
export interface ExchangeRecorderOptions {
  readonly exchanges: ExchangeStore;
  /** Ends the wait for a store that is unavailable. */
  readonly lifetime: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Creates middleware that stores each request to the model and its response. Of a request it stores only what is new:
 * messages of the conversation by their numbers, and tool definitions, system prompt and other large fields once. The run
 * continues meanwhile. While the store is unavailable, an exchange and those after it wait.
 */
export function createExchangeRecorder(options: ExchangeRecorderOptions): ExchangeRecorder {
  const { exchanges, lifetime, clock, logger } = options;
  const writers = new WeakMap<AgentContext, PromptWriter>();
  /** The last exchanges that are being stored, by run. */
  const pending = new Map<string, Promise<void>>();

  // One after the other, because an exchange may refer to messages of an earlier one.
  function inOrder(runId: string, store: () => Promise<void>): Promise<void> {
    const before = pending.get(runId);
    const saving = before === undefined ? store() : before.then(store);
    pending.set(runId, saving);
    return saving.finally(() => {
      if (pending.get(runId) === saving) pending.delete(runId);
    });
  }

  function writerOf(context: AgentContext): PromptWriter {
    const writer = writers.get(context) ?? createPromptWriter();
    writers.set(context, writer);
    return writer;
  }

  async function save(context: AgentContext, record: ExchangeRecord, shared: Record<string, JsonValue>): Promise<void> {
    const { runId, writer } = context;
    const id = crypto.randomUUID();
    let isRepeated = false;
    const append = async (): Promise<void> => {
      // An attempt that failed without a reply may have been written.
      if (isRepeated && (await isStored(exchanges, runId, id))) return;
      isRepeated = true;
      await exchanges.append({ runId, record: toJson({ ...record, id }), shared }, writer);
    };
    try {
      await retryWhileUnavailable(append, { clock, signal: lifetime });
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
      await pending.get(runId);
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
        return inOrder(context.runId, () => save(context, { step, prompt, request: own, answer }, shared));
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

/** True if the last exchange of a run in the store has this id. */
async function isStored(exchanges: ExchangeStore, runId: string, id: string): Promise<boolean> {
  let last: StoredExchange | undefined;
  for await (const { items } of readPages((page) => exchanges.list(runId, page))) last = items.at(-1);
  return (last?.record as Partial<ExchangeRecord> | undefined)?.id === id;
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
