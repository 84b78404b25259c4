import type { RunDetails } from '@ravi/api';
import type { McpGateway } from './gateway.ts';

const shownCalls = 50;

/** Returns the state of a run as text for a model: its status, its calls, and what it waits for. */
export function statusText(run: RunDetails, { inboxUrl }: Pick<McpGateway, 'inboxUrl'>): string {
  const { id, status, trace, pendingApprovals, error } = run;
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
    ...(approvals.length === 0 || inboxUrl === undefined ? [] : [`Inbox: ${inboxUrl}`]),
  ].join('\n');
}
