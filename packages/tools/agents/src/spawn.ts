import { defineTool, textBlock } from '@ravi/kernel';
import type { InvocationResult, Tool, ToolExecutionResult } from '@ravi/kernel';

/** Creates the tool that starts a call and returns its id at once. */
export function createSpawn(): Tool {
  return defineTool({
    name: 'spawn',
    description:
      'Starts a call of another tool or delegate in the background and returns the id of its job at once. "join" waits for it. The call needs the approvals that it needs otherwise.',
    // The call inside passes every gate itself.
    risk: 'safe',
    runAfterResponse: true,
    managesOwnTimeout: true,
    mode: 'background',
    inputSchema: {
      type: 'object',
      properties: {
        tool: { type: 'string', minLength: 1, maxLength: 64, description: 'Name of a tool or delegate.' },
        arguments: { type: 'object', description: 'Its arguments; for a delegate { "task": … }.' },
      },
      required: ['tool', 'arguments'],
      additionalProperties: false,
    },
    documentation: () =>
      [
        'spawn works on while you continue. You receive its result as a message when it has ended, or earlier with join.',
        'The call counts in your budget and ends with your run.',
        'In a script a call is a promise: start it without await instead of using spawn.',
      ].join('\n'),
    async execute({ tool, arguments: args }, { run }) {
      return resultOfCall(await run.tool(tool, args));
    },
  });
}

/** Returns the result of a call inside as the result of the call around it. */
export function resultOfCall({ status, text, structured, error, artifactRef }: InvocationResult): ToolExecutionResult {
  const failed = status !== 'ok';
  const shown = error === undefined || text.includes(error.message) ? text : `${error.code}: ${error.message}`;
  const stored = artifactRef === undefined || shown.includes(artifactRef) ? '' : `\n(all of it: ${artifactRef})`;
  return {
    content: [textBlock(`${shown}${stored}`)],
    isError: failed,
    ...(structured === undefined || failed ? {} : { structuredContent: structured }),
  };
}
