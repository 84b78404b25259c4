import { textBlock } from '@ravi/kernel';
import type { ContentBlock, ModelMessage, ToolResultBlock, ToolUseBlock } from '@ravi/kernel';

/**
 * Adds a message to an array. Two consecutive user messages become one: tool results first, in the order of their calls,
 * because providers want all results of a step together and nothing before them. A message without content is ignored.
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

/** Returns the calls of the last response that have no result yet. */
export function openCalls(messages: readonly ModelMessage[]): readonly ToolUseBlock[] {
  const index = messages.findLastIndex((message) => message.role === 'assistant');
  const calls = callsOf(messages[index]);
  const answered = new Set(resultsOf(messages[index + 1]?.content ?? []).map((result) => result.toolUseId));
  return calls.filter((call) => !answered.has(call.id));
}

/** Returns a message with `text` as an error result for each open call; `undefined` if no call is open. */
export function closeOpenCalls(messages: readonly ModelMessage[], text: string): ModelMessage | undefined {
  const open = openCalls(messages);
  if (open.length === 0) return undefined;
  return { role: 'user', content: open.map((call) => resultBlock(call.id, [textBlock(text)], true)) };
}

/** Returns the result of one call as a content block. */
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
