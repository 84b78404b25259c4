import { textBlock } from '@ravi/kernel';
import type { ContentBlock, ModelMessage, ToolResultBlock, ToolUseBlock } from '@ravi/kernel';

/**
 * Adds a message to a list. Two user messages in a row become one: results first, in the order of their calls, since
 * providers want all results of a turn together and nothing before them. A message without content adds nothing.
 */
export function joinMessages(messages: ModelMessage[], message: ModelMessage): void {
  const last = messages.at(-1);
  if (message.content.length === 0) return;
  if (last?.role !== 'user' || message.role !== 'user') {
    messages.push(message);
    return;
  }
  const content = [...last.content, ...message.content];
  messages[messages.length - 1] = { role: 'user', content: inCallOrder(content, messages.at(-2)) };
}

/** The calls of the last assistant message that have no result yet. */
function openCalls(messages: readonly ModelMessage[]): readonly ToolUseBlock[] {
  const index = messages.findLastIndex((message) => message.role === 'assistant');
  const calls = callsOf(messages[index]);
  const answered = new Set(resultsOf(messages[index + 1]?.content ?? []).map((result) => result.toolUseId));
  return calls.filter((call) => !answered.has(call.id));
}

/** A message that answers every open call with `text` as an error; `undefined` when none is open. */
export function closeOpenCalls(messages: readonly ModelMessage[], text: string): ModelMessage | undefined {
  const open = openCalls(messages);
  if (open.length === 0) return undefined;
  return { role: 'user', content: open.map((call) => resultBlock(call.id, [textBlock(text)], true)) };
}

/** The answer to one call. */
export function resultBlock(toolUseId: string, content: readonly ContentBlock[], isError: boolean): ToolResultBlock {
  return { type: 'tool_result', toolUseId, content, isError };
}

function inCallOrder(content: readonly ContentBlock[], before: ModelMessage | undefined): readonly ContentBlock[] {
  const results = resultsOf(content);
  if (results.length === 0) return content;
  const places = new Map(callsOf(before).map((call, index) => [call.id, index]));
  const placeOf = (result: ToolResultBlock): number => places.get(result.toolUseId) ?? places.size;
  const ordered = results.toSorted((left, right) => placeOf(left) - placeOf(right));
  return [...ordered, ...content.filter((block) => block.type !== 'tool_result')];
}

function callsOf(message: ModelMessage | undefined): readonly ToolUseBlock[] {
  return message?.role === 'assistant' ? message.content.filter((block) => block.type === 'tool_use') : [];
}

function resultsOf(content: readonly ContentBlock[]): readonly ToolResultBlock[] {
  return content.filter((block) => block.type === 'tool_result');
}
