import type { Result } from '@modelcontextprotocol/client';
import type { JsonObject, JsonSchema, ToolContext, ToolExecutionResult } from '@ravi/kernel';
import { taskMark } from '../connection/message-kind.ts';
import { checkedResult } from './check-result.ts';
import { converse } from './converse.ts';
import type { CallParts } from './converse.ts';
import { readResult } from './read-result.ts';
import { anyResult, runTask, taskStateOf } from './run-task.ts';

/** Parts of a tool of a server that a call needs. */
interface CalledTool {
  /** Name on the wire. */
  readonly name: string;
  readonly inputSchema: JsonSchema;
  /** True if the server wants arguments as headers too, by version 2026-07-28. */
  readonly mirrorsHeaders: boolean;
}

/** Calls a tool of a server. `isTask` asks an older server to run it as a task. @throws KernelError as {@link converse} */
export function callTool(
  tool: CalledTool,
  args: JsonObject,
  context: ToolContext,
  parts: CallParts,
  isTask: boolean,
): Promise<ToolExecutionResult> {
  const { client, isModern } = parts.connection;
  const params = {
    name: tool.name,
    arguments: args,
    ...(isTask ? { task: { ttl: parts.limits.callMs } } : {}),
  };
  return converse(
    context,
    parts,
    (answers, options): Promise<Result> =>
      tool.mirrorsHeaders && isModern
        ? // Without an output schema: the invoker checks the result.
          client.callTool(
            { ...params, ...answers },
            {
              ...options,
              toolDefinition: { name: tool.name, inputSchema: tool.inputSchema as { type: 'object' } },
            },
          )
        : client.request({ method: 'tools/call', params: { ...params, ...answers } }, anyResult, options),
    async (answer, conversation) => {
      const task = taskStateOf(answer._meta?.[taskMark]) ?? taskStateOf(answer['task']);
      if (task !== undefined)
        return readResult(await runTask(task, { ...parts, ...conversation }), context, parts.limits);
      return readResult(checkedResult(answer, isModern), context, parts.limits);
    },
  );
}
