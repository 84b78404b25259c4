import { textBlock, textOf } from '@ravi/kernel';
import type { ContentBlock, ModelMessage, FunctionSpec, ToolChoice } from '@ravi/kernel';
import { arrangeTurns } from '../arrange-turns.ts';
import type { CallResult } from '../arrange-turns.ts';
import { isMedia } from '../media.ts';

/** Returns the conversation with calls and results as text, for a model without native tools. */
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

/** Joins results and the user message after them into one message. */
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

/** Returns the system prompt that explains the tools to a model without native tools; empty without tools. */
export function toolInstructions(tools: readonly FunctionSpec[], choice: ToolChoice = 'auto'): string {
  const offered = typeof choice === 'object' ? tools.filter(({ name }) => choice.oneOf.includes(name)) : tools;
  if (offered.length === 0 || choice === 'none') return '';
  return [
    'You can call tools. To call one, write a block like this and nothing inside it but JSON:',
    '<tool_call>\n{"name": "<tool>", "arguments": {<arguments that fit its parameters>}}\n</tool_call>',
    'Write one block for each call; several may follow each other. Then stop: the results come in the next message, each in a <tool_result> block. Never write a <tool_result> block yourself.',
    ...(choice === 'auto' ? [] : ['You must call at least one tool now.']),
    'The tools:',
    ...offered.map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters })),
  ].join('\n\n');
}
