import { defineTool, KernelError } from '@ravi/kernel';
import type { ArgumentsOf, Tool, ToolContext, ToolRegistry } from '@ravi/kernel';
import { infoTool } from './info-tool.ts';
import { toolRunOf } from './tool-run.ts';

const inputSchema = {
  type: 'object',
  properties: {
    question: { type: 'string', minLength: 1, description: 'What you need to know, in one or two sentences' },
    choices: { type: 'array', items: { type: 'string' }, maxItems: 10, description: 'Answers to choose from, if any' },
  },
  required: ['question'],
  additionalProperties: false,
} as const;

/** Asks the user and pauses the run until the answer arrives. */
export const askUserTool: Tool = createAskTool({
  name: 'ask_user',
  description: 'Asks the user a question and waits for the answer. Use it when only the user can know or decide.',
});

/** The same tool under a name that other systems use. */
export const askClarificationTool: Tool = createAskTool({
  name: 'ask_clarification',
  description: 'Asks the user to clarify an ambiguous task before work on it starts, and waits for the answer.',
});

/** Creates a tool whose calls pause the run until the user has answered. */
export function createAskTool({ name, description }: { readonly name: string; readonly description: string }): Tool {
  return defineTool({
    name,
    description,
    inputSchema,
    risk: 'safe',
    suspends: true,
    allowedCallers: ['direct'],
    execute: (args, context) => ask(name, args, context),
  });
}

async function ask(
  tool: string,
  { question, choices }: ArgumentsOf<typeof inputSchema>,
  context: ToolContext,
): Promise<string> {
  const run = toolRunOf(context);
  const { callId } = context;
  // The answer becomes the result of the call, so the step must be waiting for it.
  if (run?.calls?.isOpen(callId) !== true)
    throw new KernelError('E_TOOL_NOT_CALLABLE', `${tool} can only be called directly by the model of an agent`);
  if (run.isOfScript) return elicitAnswer(question, choices, context);
  run.ask({ callId, tool, question, ...(choices === undefined ? {} : { choices }) });
  return 'The user was asked.';
}

// A script waits for the run, which cannot pause apart from it: the call itself waits for the answer.
async function elicitAnswer(
  message: string,
  choices: readonly string[] | undefined,
  { elicit }: ToolContext,
): Promise<string> {
  const answer = choices === undefined ? { type: 'string' } : { type: 'string', enum: choices };
  const schema = { type: 'object', properties: { answer }, required: ['answer'] };
  const result = await elicit({ mode: 'form', message, schema });
  const given = result.action === 'accept' ? result.content?.['answer'] : undefined;
  return typeof given === 'string' ? given : 'The user did not answer.';
}

/** Names of the tools with which a model asks the user. */
export const askToolNames: readonly string[] = [askUserTool.name, askClarificationTool.name];

/** Returns those of `ask_user`, `ask_clarification` and `info` whose names no tool of a registry has. */
export function missingQuestionTools(registry: ToolRegistry): readonly Tool[] {
  return [askUserTool, askClarificationTool, infoTool].filter(({ name }) => registry.get(name) === undefined);
}
