import { textOf } from '@ravi/kernel';
import type { JsonObject, ModelMessage } from '@ravi/kernel';

/** Call that a model wants to make. */
export interface WantedCall {
  readonly tool: string;
  readonly args: JsonObject;
}

/** Call with the text of its result, as the model reads it. */
export interface MadeCall extends WantedCall {
  readonly text: string;
  readonly isError: boolean;
}

/** Conversation as a model that is a program reads it. */
export interface Conversation {
  readonly task: string;
  /** Calls of this task that have a result, oldest first. */
  readonly calls: readonly MadeCall[];
}

/** Reads the messages of a request. */
export function readConversation(messages: readonly ModelMessage[]): Conversation {
  const blocks = messages.flatMap(({ role, content }) => content.map((block) => ({ role, block })));
  const start = blocks.findLastIndex(({ role, block }) => role === 'user' && block.type === 'text');
  const task = blocks[start]?.block;
  const rest = blocks.slice(start + 1).map(({ block }) => block);
  const wanted = new Map(rest.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block]] : [])));
  const calls = rest.flatMap((block) => {
    if (block.type !== 'tool_result') return [];
    const call = wanted.get(block.toolUseId);
    if (call === undefined) return [];
    const text = textOf(block.content);
    return [{ tool: call.name, args: call.arguments, text, isError: block.isError === true }];
  });
  return { task: task === undefined ? '' : textOf([task]), calls };
}
