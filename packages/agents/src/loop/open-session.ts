import type { InvokerSession, SessionOptions } from '@ravi/invoker';
import type { ModelUsage } from '@ravi/kernel';
import type { AgentDefinition } from './agent-definition.ts';
import type { AgentEventSink } from './agent-event.ts';
import type { RunOptions } from './agent-options.ts';
import { Budget, nothingSpent } from './budget.ts';
import type { BudgetLimits, BudgetSpent } from './budget.ts';
import { noUsage } from './model-response.ts';
/** A session as wide as the agent and the options allow, whose calls tell of their progress. */
export function openSession(
  definition: AgentDefinition,
  options: RunOptions,
  emit: AgentEventSink | undefined,
  more: SessionOptions = {},
): InvokerSession {
  const { session: parent, messages: _, budget: __, allowedTools, ...rest } = options;
  const session = definition.invoker.openSession({
    ...rest,
    ...more,
    ...(definition.lease === undefined ? {} : { hasStableQuestions: true }),
    // Within a session the agent's own limits hold too, not only that session's.
    ...(parent === undefined ? {} : { parent, policy: { ...definition.invoker.policy, ...options.policy } }),
    ...(emit === undefined
      ? {}
      : {
          onProgress(event) {
            if (event.type === 'tool-progress') emit(event);
          },
        }),
  });
  for (const list of [definition.allowedTools, allowedTools]) if (list !== undefined) session.narrow(list);
  return session;
}

/** The budgets of agent and run inside of the parent's, with what was used before a pause or by a process that ended. */
export function openBudget(
  { budget, prices, invoker, request, model }: AgentDefinition,
  limits: BudgetLimits | undefined,
  parent: Budget | undefined,
  before?: { readonly spent?: BudgetSpent; readonly usage?: ModelUsage },
): Budget | undefined {
  const { clock } = invoker;
  const priced = prices === undefined ? {} : { prices };
  let innermost = parent;
  for (const each of [budget, limits]) {
    if (each === undefined) continue;
    innermost = new Budget({ limits: each, isOfRun: each === limits, clock, parent: innermost, ...priced });
  }
  if (before !== undefined) {
    const { spent = nothingSpent, usage = noUsage } = before;
    innermost?.charge(spent, usage, request.model ?? model.id);
  }
  return innermost;
}
