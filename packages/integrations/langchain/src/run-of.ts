import type { ToolRunnableConfig } from '@langchain/core/tools';
import type { FrameworkRun } from '@ravi/gateway-kit';

/** Configuration of a tool call, as LangChain passes it to a tool, with the state of an agent's tool node. */
export type CallConfig = ToolRunnableConfig & { readonly state?: unknown; readonly toolCallId?: string };

/**
 * Returns the run of a call: one turn of a thread, from the user's message to the answer, also across interrupts. A call without a
 * thread and without messages is a run of its own.
 */
export function turnOf(config: CallConfig): FrameworkRun {
  const thread = textOf(config.configurable?.['thread_id']);
  const message = idOfLastQuestion(config.state);
  const runId = [thread, message].filter((part) => part !== undefined).join('/');
  return { runId: runId === '' ? crypto.randomUUID() : runId, ...(thread === undefined ? {} : { sessionId: thread }) };
}

/**
 * Returns the id of a call: that of the model, and that of the task of the graph, because some models give calls of later steps the
 * same id. A task that is interrupted or made again from its checkpoint keeps its id.
 */
export function callIdOf(id: string | undefined, config: CallConfig): string {
  if (id === undefined || id === '') return crypto.randomUUID();
  const task = textOf(config.configurable?.['checkpoint_ns'])?.split(':').at(-1);
  return task === undefined ? id : `${id}_${task}`;
}

// The reducer of messages gives each an id, which checkpoints keep.
function idOfLastQuestion(state: unknown): string | undefined {
  const messages = typeof state === 'object' && state !== null && 'messages' in state ? state.messages : undefined;
  if (!Array.isArray(messages)) return undefined;
  const last = messages.findLast((message: unknown) => typeOf(message) === 'human') as
    | { readonly id?: unknown }
    | undefined;
  return textOf(last?.id);
}

function typeOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
