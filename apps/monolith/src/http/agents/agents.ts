import { api } from '@ravi/api';
import type { AgentSummary } from '@ravi/api';
import { delegatesOf } from '@ravi/host';
import { createToolRules } from '@ravi/invoker';
import type { CallerAccess, Toolbox } from '@ravi/invoker';
import type { ApprovalMode } from '@ravi/agents';
import type { ModelProvider, Principal } from '@ravi/kernel';
import type { AgentSet, ConfiguredAgent } from '../../agents/agent-set.ts';
import { implement, listOf } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';

/** Services of {@link agentOperations}. */
export interface AgentServices {
  readonly agents: AgentSet;
  readonly toolbox: Toolbox;
  readonly toolAccess: CallerAccess;
  /** Model of agents that name none. */
  readonly model: ModelProvider;
  /** Approval mode of agents that have none of their own. */
  readonly approvalMode: ApprovalMode;
}

/** Implements the operation on agents. */
export function agentOperations({
  agents,
  toolbox,
  toolAccess,
  model,
  approvalMode,
}: AgentServices): readonly Endpoint[] {
  function summaryOf(
    [name, { agent, entry, skills, imposedSkills, model: own }]: [string, ConfiguredAgent],
    principal: Principal,
  ): AgentSummary {
    const rules = createToolRules(agents.rulesOf(name), toolbox);
    const ofCaller = toolAccess.toolsOf(principal);
    const { budget, guards = [], maxSteps = 32, approvals } = entry;
    return {
      name,
      isDefault: name === agents.defaultName,
      ...(agent.description === undefined ? {} : { description: agent.description }),
      model: own ?? model.model ?? model.id,
      tools: toolbox.names().filter((tool) => rules.has(tool) && (ofCaller?.has(tool) ?? true)),
      skills: skills.map((skill) => skill.name),
      imposedSkills: imposedSkills.map((skill) => skill.name),
      delegates: delegatesOf(entry).map((each) => ({
        agent: each.agent,
        tool: each.name,
        ...(each.mode === undefined ? {} : { mode: each.mode }),
      })),
      guards: guards.map((guard) => ({
        agent: guard.agent,
        ...(guard.tools === undefined ? {} : { tools: [...guard.tools] }),
      })),
      maxSteps,
      approvalMode: approvals?.mode ?? approvalMode,
      warnings: [...agents.warningsOf(name)],
      ...(budget === undefined ? {} : { budget }),
    };
  }

  return [
    implement(api.agents.list, ({ caller: { principal } }) =>
      listOf(
        Array.from(agents.all, (each) => summaryOf(each, principal)).toSorted(
          (left, right) => Number(right.isDefault) - Number(left.isDefault),
        ),
      ),
    ),
  ];
}
