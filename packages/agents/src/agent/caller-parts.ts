import type { AgentDefinition } from './agent-definition.ts';

/** Definition of an agent as a sub-agent. */
export interface ChildDefinition {
  readonly definition: AgentDefinition;
  /** True if another process can resume its runs. */
  readonly isResumable: boolean;
}

/**
 * Returns the definition of an agent that works for `caller`. It has the stores, the approval handler and the observers of its
 * caller, and keeps its model, tools, policy and limits. An agent whose invoker has such parts itself keeps them: its runs are
 * listed below those of the caller, but cannot be resumed.
 */
export function definitionWithin(caller: AgentDefinition, own: AgentDefinition): ChildDefinition {
  const invoker = caller.invoker.adopt(own.invoker);
  const { runs, history, process, jobs, logger, approvals, approvalExpiryMs, onApprovalExpiry } = caller;
  const isStored = runs !== undefined && history !== undefined && process !== undefined;
  if (invoker === undefined) {
    const isListed = isStored && own.runs === undefined;
    const definition = { ...own, ...waiting, ...(isListed ? { runs, process } : {}) };
    return { definition, isResumable: false };
  }
  // One that both have wraps the sub-agent once.
  const around = caller.middleware.filter((each) => each.includesSubAgents === true && !own.middleware.includes(each));
  const middleware = around.length === 0 ? own.middleware : [...around, ...own.middleware];
  if (!isStored) {
    return { definition: { ...own, invoker, middleware, logger, ...waiting }, isResumable: false };
  }
  const stores = { runs, history, process, jobs };
  return {
    definition: { ...own, invoker, middleware, logger, approvals, approvalExpiryMs, onApprovalExpiry, ...stores },
    isResumable: true,
  };
}

/** Behaviour of a sub-agent that cannot be resumed while a call of it waits for approval. */
const waiting = { approvals: 'wait', onApprovalExpiry: 'deny' } as const;
