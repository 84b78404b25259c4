import type { FunctionSpec, ToolChoice } from '@ravi/kernel';

/** What a model without native tools is told of them, to stand in its system prompt; empty without tools. */
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
