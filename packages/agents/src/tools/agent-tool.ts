import { defineTool, KernelError, textBlock, toolsInside } from '@ravi/kernel';
import type { Tool, ToolContext } from '@ravi/kernel';
import type { Agent } from '../agent/agent-context.ts';
import { definitionOf } from '../agent/agent-definition.ts';
import { callingRunOf } from './tool-run.ts';

/** Options of {@link createAgentTool}. */
export interface AgentToolOptions {
  /** Default: the name of the agent. */
  readonly name?: string;
  readonly description?: string;
  /** Model calls with a higher priority run first when a `Supervision` makes them wait; default 0. */
  readonly priority?: number;
  /** True if the agent may call tools that its caller may not. It still may not call those that the request of the run excludes. */
  readonly hasOwnTools?: boolean;
  /** `background` returns a job id at once. */
  readonly mode?: 'direct' | 'background';
}

/**
 * Creates a tool that runs an agent as a sub-agent of the caller. It may use only tools that the caller may use, spends the
 * caller's tokens, money, calls and time, and ends when the caller ends. Its own calls pass its own gates, so the delegation
 * itself needs no approval. Its questions to the user pause the caller, which resumes with the answers.
 *
 * An agent without an approval handler, artifact store, journal, hooks or clock of its own uses those of its caller. If the caller
 * has a `process`, the sub-agent is then a run of its own that is resumed together with the run of the caller.
 */
export function createAgentTool(agent: Agent, options: AgentToolOptions = {}): Tool {
  const { priority = 0, mode, hasOwnTools = false, name = agent.name, description = agent.description } = options;
  const tool = defineTool({
    name,
    description: description ?? `Delegates a task to the agent ${agent.name}.`,
    inputSchema: {
      type: 'object',
      properties: {
        task: { type: 'string', minLength: 1, description: 'The whole task; the agent sees nothing else' },
      },
      required: ['task'],
      additionalProperties: false,
    },
    // Risk is checked for each call of the sub-agent.
    risk: 'safe',
    runAfterResponse: true,
    managesOwnTimeout: true,
    // A repeated call continues the run that the first one started.
    idempotent: true,
    ...(mode === undefined ? {} : { mode }),
    async execute({ task }, context) {
      const { run, callSession } = callingRunOf(context) ?? {};
      if (run === undefined) {
        throw new KernelError(
          'E_TOOL_NOT_CALLABLE',
          `${name} can only be called by the model of an agent, or by its scripts`,
        );
      }
      const { callId: parentCallId, signal } = context;
      const asksCaller = callSession === undefined && run.canAskFor(parentCallId);
      const within = callSession === undefined ? {} : { callSession };
      const result = await run.join(
        run.spawn(agent, task, { priority, parentCallId, signal, asksCaller, hasOwnTools, ...within }),
      );
      context.check();
      if (run.isAsking(parentCallId)) {
        // A job has no step that ends without its result.
        if (run.calls?.isOpen(parentCallId) !== true) await untilCancelled(context);
        return 'The user was asked.';
      }
      if (result.status === 'completed') return { content: [textBlock(result.text)], isError: false };
      const why = result.error?.message ?? result.reason;
      return {
        content: [textBlock(`The agent ${agent.name} ended without an answer (${result.status}): ${why}`)],
        isError: true,
      };
    },
  });
  return Object.assign(tool, { [toolsInside]: definitionOf(agent).invoker.registry });
}

async function untilCancelled(context: ToolContext): Promise<void> {
  const { signal } = context;
  if (!signal.aborted) {
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
  }
  context.check();
}
