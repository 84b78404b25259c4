import { textBlock, textOf } from '@ravi/kernel';
import type { ContentBlock, ModelMessage } from '@ravi/kernel';
import { arrangeTurns } from '../arrange-turns.ts';
import type { CallResult } from '../arrange-turns.ts';
import { isMedia } from '../media.ts';

/** The conversation with calls and results as text, for a model that knows no others. */
export function historyAsText(messages: readonly ModelMessage[]): ModelMessage[] {
  const out: ModelMessage[] = [];
  for (const turn of arrangeTurns(messages).turns) {
    out.push({ role: turn.role, content: turn.content.map(callAsText) });
    if (turn.role === 'user' || turn.results.length === 0) continue;
    out.push({ role: 'user', content: turn.results.flatMap(resultAsText) });
  }
  return merged(out);
}

function callAsText(block: ContentBlock): ContentBlock {
  if (block.type !== 'tool_use') return block;
  return textBlock(`<tool_call>\n${JSON.stringify({ name: block.name, arguments: block.arguments })}\n</tool_call>`);
}

function resultAsText({ call, result }: CallResult): ContentBlock[] {
  const status = result.isError ? ' status="error"' : '';
  const text = textOf(result.content).replaceAll('</tool_result>', '<\\/tool_result>');
  return [
    textBlock(`<tool_result name=${JSON.stringify(call.name)}${status}>\n${text}\n</tool_result>`),
    ...result.content.filter(isMedia),
  ];
}

/** Results and what the user says next are one message. */
function merged(messages: readonly ModelMessage[]): ModelMessage[] {
  const out: ModelMessage[] = [];
  for (const message of messages) {
    const last = out.at(-1);
    if (last?.role === 'user' && message.role === 'user') {
      out[out.length - 1] = { role: 'user', content: [...last.content, ...message.content] };
    } else out.push(message);
  }
  return out;
}
