import { defineTool, KernelError, textBlock } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import { agentContextOf } from '../loop/agent-context.ts';
import type { Agent } from '../loop/agent-context.ts';

/** How an agent stands as a tool. */
export interface AgentToolOptions {
  /** The agent's own when absent. */
  readonly name?: string;
  readonly description?: string;
  /** Where models wait for each other, higher goes first; 0 when absent. */
  readonly priority?: number;
  /** `background` answers with a job at once. */
  readonly mode?: 'direct' | 'background';
}

/**
 * An agent that another may call as a tool. It works under the caller: what the caller may not use it may not either,
 * its tokens, money, calls and time are the caller's, and it ends when the caller does. Its own calls pass its own
 * gates, so handing it a task needs no approval.
 */
export function createAgentTool(agent: Agent, options: AgentToolOptions = {}): Tool {
  const { priority = 0, mode, name = agent.name, description = agent.description } = options;
  return defineTool({
    name,
    description: description ?? `Hands a task to the agent ${agent.name}.`,
    inputSchema: {
      type: 'object',
      properties: {
        task: { type: 'string', minLength: 1, description: 'The whole task; the agent sees nothing else' },
      },
      required: ['task'],
      additionalProperties: false,
    },
    managesOwnTimeout: true,
    allowedCallers: ['direct'],
    ...(mode === undefined ? {} : { mode }),
    async execute({ task }, context) {
      const run = agentContextOf(context);
      if (run === undefined)
        throw new KernelError('E_TOOL_NOT_CALLABLE', `${name} can be called in the turn of an agent only`);
      const { callId: parentCallId, signal } = context;
      const result = await run.join(run.spawn(agent, task as string, { priority, parentCallId, signal }));
      if (result.status === 'completed') return { content: [textBlock(result.text)], isError: false };
      const why = result.error?.message ?? result.reason;
      return {
        content: [textBlock(`The agent ${agent.name} ended without an answer (${result.status}): ${why}`)],
        isError: true,
      };
    },
  });
}
