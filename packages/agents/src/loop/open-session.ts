import type { InvokerSession, SessionOptions } from '@ravi/invoker';
import type { ModelUsage } from '@ravi/kernel';
import { noUsage } from '@ravi/support';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { AgentEventSink } from '../agent/agent-event.ts';
import type { RunOptions } from '../agent/agent-options.ts';
import { Budget, nothingSpent } from '../agent/budget.ts';
import type { BudgetLimits, BudgetSpent } from '../agent/budget.ts';
import { RunJournal } from './run-journal.ts';

/** Opens a session limited to the tools that the agent and the options allow; forwards tool progress to `emit`. */
export function openSession(
  definition: AgentDefinition,
  options: RunOptions,
  emit: AgentEventSink | undefined,
  more: SessionOptions = {},
): InvokerSession {
  const { session: parent, messages: _, budget: __, allowedTools, approvals, ...rest } = options;
  const { journal } = definition.invoker;
  const isStored = definition.process !== undefined;
  const session = definition.invoker.openSession({
    ...rest,
    ...more,
    agent: definition.name,
    ...(definition.cwd === undefined ? {} : { cwd: definition.cwd }),
    ...(isStored ? { hasStableApprovalIds: true, isOfStoredRun: true } : {}),
    ...(isStored && journal !== undefined ? { journal: new RunJournal(journal) } : {}),
    ...(approvals === 'pause' ? { approvalExpiryMs: definition.approvalExpiryMs } : {}),
    ...(approvals === undefined ? {} : { onApprovalExpiry: definition.onApprovalExpiry }),
    // The agent's own limits apply in addition to those of the parent session.
    ...(parent === undefined ? {} : { parent, policy: { ...definition.invoker.policy, ...options.policy } }),
    ...(emit === undefined
      ? {}
      : {
          onProgress(event) {
            if (event.type === 'tool-progress') emit(event);
          },
        }),
  });
  for (const list of definition.allowLists) session.narrow(list, { ofAgent: true });
  if (allowedTools !== undefined) session.narrow(allowedTools);
  return session;
}

/** Creates the budgets of agent and run under the parent's, with the amounts used before a pause or a crash. */
export function openBudget(
  { budget, prices, invoker, request, model }: AgentDefinition,
  limits: BudgetLimits | undefined,
  parent: Budget | undefined,
  before?: { readonly spent?: BudgetSpent; readonly usage?: ModelUsage },
): Budget | undefined {
  const { clock } = invoker;
  const priced = prices === undefined ? {} : { prices };
  // A sub-agent has a budget of its own, so that its record says what it has spent.
  let innermost = parent === undefined ? undefined : new Budget({ limits: {}, clock, parent, isOfSubAgent: true });
  for (const each of [budget, limits]) {
    if (each === undefined) continue;
    innermost = new Budget({ limits: each, isOfRun: each === limits, clock, parent: innermost, ...priced });
  }
  if (before !== undefined) {
    const { spent = nothingSpent, usage = noUsage } = before;
    innermost?.charge(spent, usage, request.model ?? model.id, parent);
  }
  return innermost;
}
