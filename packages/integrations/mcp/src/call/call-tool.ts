import { isInputRequiredResult, UrlElicitationRequiredError } from '@modelcontextprotocol/client';
import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import { KernelError } from '@ravi/kernel';
import type { JsonObject, ToolContext, ToolExecutionResult } from '@ravi/kernel';
import type { ListedTool } from '../catalogue/listed-tool.ts';
import type { Connection } from '../connection/connection.ts';
import { shown } from '../connection/shown.ts';
import type { McpLimits } from '../options.ts';
import { askPerson } from './ask-person.ts';
import { CallClock } from './call-clock.ts';
import { callError } from './call-error.ts';
import { fulfil } from './input-required.ts';
import type { SampleModel } from './input-required.ts';
import { readResult } from './read-result.ts';
import type { RunningCall, RunningCalls } from './running-call.ts';

const maxRounds = 10;
const progressPauseMs = 100;
/** The SDK's own limits do not apply: the clock of the call stands still while a person answers. */
const noLimitMs = 2 ** 31 - 1;

/** Parts of a call. */
export interface CallParts {
  readonly server: string;
  readonly connection: Connection;
  readonly running: RunningCalls;
  readonly limits: McpLimits;
  readonly sample: SampleModel | undefined;
}

/**
 * Calls a tool of a server.
 * @throws KernelError `E_TOOL_FAILED`, `E_OUTPUT_INVALID`, `E_LIMIT_CALL_OUTPUT`, `E_SOURCE_UNAVAILABLE`, `E_SIGN_IN_REQUIRED`,
 * `E_CALL_TIMEOUT`, `E_CANCELLED`
 */
export async function callTool(
  tool: ListedTool,
  args: JsonObject,
  context: ToolContext,
  parts: CallParts,
): Promise<ToolExecutionResult> {
  const clock = new CallClock(parts.limits.callMs, context.clock);
  const call: RunningCall = { context, clock, questions: 0, samplings: 0 };
  const signal = AbortSignal.any([context.signal, clock.signal]);
  try {
    const result = await parts.running.run(call, () => exchange(tool, args, call, signal, parts));
    return await readResult(result, context, parts.limits);
  } catch (error) {
    const aborted = signal.aborted ? (signal.reason as unknown) : undefined;
    throw callError(parts.server, error, parts.connection, aborted);
  } finally {
    clock.end();
  }
}

// Version 2026-07-28 answers with what it needs to know, and gets the same call again with the answers.
async function exchange(
  tool: ListedTool,
  args: JsonObject,
  call: RunningCall,
  signal: AbortSignal,
  parts: CallParts,
): Promise<CallToolResult> {
  let answers: object = {};
  for (let round = 0; round < maxRounds; round++) {
    const result = await send(tool, { ...args }, answers, call, signal, parts);
    if (result === undefined) continue;
    if (!isInputRequiredResult(result)) return result;
    answers = await fulfil(result, call, parts.sample);
  }
  throw new KernelError('E_TOOL_FAILED', `The MCP server ${parts.server} asked more than ${maxRounds} times for input`);
}

// Returns `undefined` if the server did not run the call because the person had to visit a page first.
async function send(
  tool: ListedTool,
  args: JsonObject,
  answers: object,
  call: RunningCall,
  signal: AbortSignal,
  { connection, server }: CallParts,
): Promise<CallToolResult | undefined> {
  try {
    return await connection.client.callTool(
      { name: tool.name, arguments: args, ...answers },
      {
        signal,
        timeout: noLimitMs,
        onprogress: progressOf(call.context),
        allowInputRequired: true,
        // Without an output schema: the invoker checks the result.
        toolDefinition: { name: tool.name, inputSchema: tool.inputSchema as { type: 'object' } },
      },
    );
  } catch (error) {
    if (!UrlElicitationRequiredError.isInstance(error)) throw error;
    for (const params of error.elicitations) {
      const { action } = await askPerson(call, params);
      if (action === 'accept') continue;
      throw new KernelError(
        'E_TOOL_FAILED',
        `The MCP server ${server} needs a page to be visited first, and nobody did`,
      );
    }
    return undefined;
  }
}

function progressOf(context: ToolContext): (progress: Progress) => void {
  let reportedAt = -Infinity;
  return ({ progress, total, message }) => {
    const now = context.clock.monotonic();
    if (now - reportedAt < progressPauseMs) return;
    reportedAt = now;
    const fraction = total === undefined || !(total > 0) ? undefined : Math.min(1, Math.max(0, progress / total));
    context.progress({
      ...(fraction === undefined ? {} : { fraction }),
      ...(message === undefined ? {} : { message: shown(message) }),
    });
  };
}
