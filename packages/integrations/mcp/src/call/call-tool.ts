import type { CallToolResult, Result } from '@modelcontextprotocol/client';
import type { JsonObject, JsonSchema, ToolContext, ToolExecutionResult } from '@ravi/kernel';
import { taskMark } from '../connection/message-kind.ts';
import { converse } from './converse.ts';
import type { CallParts } from './converse.ts';
import { readResult } from './read-result.ts';
import { anyResult, checked, runTask, taskStateOf } from './run-task.ts';

/** Parts of a tool of a server that a call needs. */
interface CalledTool {
  /** Name on the wire. */
  readonly name: string;
  readonly inputSchema: JsonSchema;
}

/** Calls a tool of a server. `isTask` asks an older server to run it as a task. @throws KernelError as {@link converse} */
export function callTool(
  tool: CalledTool,
  args: JsonObject,
  context: ToolContext,
  parts: CallParts,
  isTask: boolean,
): Promise<ToolExecutionResult> {
  const { client } = parts.connection;
  const params = {
    name: tool.name,
    arguments: args,
    ...(isTask ? { task: { ttl: parts.limits.callMs } } : {}),
  };
  // Without an output schema: the invoker checks the result.
  const toolDefinition = { name: tool.name, inputSchema: tool.inputSchema as { type: 'object' } };
  return converse(
    context,
    parts,
    (answers, options): Promise<Result> =>
      isTask
        ? client.request({ method: 'tools/call', params }, anyResult, options)
        : client.callTool({ ...params, ...answers }, { ...options, toolDefinition }),
    async (answer, conversation) => {
      const task = taskStateOf(answer._meta?.[taskMark]) ?? taskStateOf(answer['task']);
      if (task !== undefined)
        return readResult(await runTask(task, { ...parts, ...conversation }), context, parts.limits);
      // The client has checked the answer to its own `callTool`.
      return readResult(isTask ? checked(answer) : (answer as CallToolResult), context, parts.limits);
    },
  );
}
