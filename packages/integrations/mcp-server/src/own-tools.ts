import type { RunDetails } from '@ravi/api';
import type { JsonObject, JsonValue } from '@ravi/kernel';
import type { McpGateway } from './gateway.ts';
import type { OwnTool } from './offered-tools.ts';
import { textResult } from './result.ts';
import { runScript, settleRun } from './run-script.ts';
import type { CallResult, RunCallOptions } from './run-script.ts';
import { isId } from './uris.ts';

const shownRuns = 20;
const shownCalls = 50;
const unknown = 'There is no such run [E_RUN_NOT_FOUND]';

/** Calls a tool of the server itself, with checked arguments. */
export async function callOwnTool(
  own: Exclude<OwnTool, 'execute'>,
  args: JsonObject,
  options: RunCallOptions,
): Promise<CallResult> {
  const { gateway, context } = options;
  const { signal } = context.mcpReq;
  switch (own) {
    // A client of these tools calls others from scripts only.
    case 'search':
      return asResult(gateway.call('search_tools', { ...args, scripts: true }, { signal }));
    case 'describe':
      return asResult(gateway.call('describe_tool', { ...args, scripts: true }, { signal }));
    case 'resume':
      return resume(textAt(args, 'run_id'));
    case 'status': {
      const text = await statusOf(args['run_id'], gateway);
      return textResult(text, text === unknown);
    }
  }

  async function resume(runId: string): Promise<CallResult> {
    if (!isId(runId)) return textResult(unknown, true);
    const state = context.mcpReq.requestState<{ readonly runId: string }>();
    if (state !== undefined) return runScript({ code: '' }, options);
    return settleRun(runId, options);
  }
}

async function statusOf(runId: JsonValue | undefined, gateway: McpGateway): Promise<string> {
  if (typeof runId !== 'string') {
    const { items } = await gateway.runs({ limit: shownRuns });
    if (items.length === 0) return 'There are no runs.';
    return items
      .map(({ id, status, createdAt }) => `${id}  ${status}  ${new Date(createdAt).toISOString()}`)
      .join('\n');
  }
  return isId(runId) ? statusText(await gateway.run(runId), gateway) : unknown;
}

/** Returns the state of a run as text for a model: its status, its calls, and what it waits for. */
function statusText(run: RunDetails, { inboxUrl }: McpGateway): string {
  const { id, status, trace, pendingApprovals, completions, error } = run;
  const calls = trace.slice(-shownCalls).map(({ tool, status: outcome }) => `- ${tool}: ${outcome}`);
  const left = trace.length - calls.length;
  const approvals = pendingApprovals.map(({ id: approval, tool }) => `- ${tool}, approval ${approval}`);
  return [
    `Run ${id} is ${status}.`,
    ...(error === undefined ? [] : [`${error.message} [${error.code}]`]),
    ...(calls.length === 0
      ? []
      : [`Calls${left > 0 ? ` (the last ${shownCalls} of ${trace.length})` : ''}:`, ...calls]),
    ...(approvals.length === 0 ? [] : ['It waits for approval of:', ...approvals]),
    ...(completions.length === 0
      ? []
      : ['It waits for results from outside of:', ...completions.map(({ tool }) => `- ${tool}`)]),
    ...(approvals.length === 0 || inboxUrl === undefined ? [] : [`Inbox: ${inboxUrl}`]),
  ].join('\n');
}

async function asResult(call: ReturnType<McpGateway['call']>): Promise<CallResult> {
  const { text, isError } = await call;
  return textResult(text, isError);
}

function textAt(args: JsonObject, name: string): string {
  const value = args[name];
  return typeof value === 'string' ? value : '';
}
