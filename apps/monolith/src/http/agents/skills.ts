import { ToolGuides } from '@ravi/agents';
import { api } from '@ravi/api';
import type { SkillSummary } from '@ravi/api';
import { builtInAgent } from '@ravi/host';
import { createToolRules } from '@ravi/invoker';
import type { CallerAccess, Toolbox } from '@ravi/invoker';
import type { Kit, Skill, ToolSkill } from '@ravi/kernel';
import { escapeHidden } from '@ravi/support';
import type { AgentSet, ConfiguredAgent } from '../../agents/agent-set.ts';
import type { Redactor } from '../../logging/redactor.ts';
import type { GuideSet } from '../../reload/guide-set.ts';
import { kitWarnings, toolSkillWarnings } from '../../reload/guide-warnings.ts';
import type { SkillSet } from '../../reload/skill-set.ts';
import { implement } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';

/** Services of {@link skillOperations}. */
export interface SkillServices {
  readonly skills: Pick<SkillSet, 'all' | 'failures'>;
  readonly guides: GuideSet;
  /** Absent without a state store. */
  readonly agents: AgentSet | undefined;
  readonly toolbox: Toolbox;
  readonly toolAccess: CallerAccess;
  readonly redactor: Redactor;
}

type AgentState = SkillSummary['agents'][number];

/** Implements the operation on skills, kits and tool skills. */
export function skillOperations(services: SkillServices): readonly Endpoint[] {
  const { skills, guides, agents, toolbox, toolAccess, redactor } = services;
  let known = guides.current;
  let compared = new ToolGuides(known, toolbox);

  function comparison(): ToolGuides {
    if (known !== guides.current) compared = new ToolGuides((known = guides.current), toolbox);
    return compared;
  }

  const clean = (text: string): string => escapeHidden(redactor.text(text));

  function forAgents(stateOf: (name: string, configured: ConfiguredAgent) => AgentState): AgentState[] {
    return Array.from(agents?.all ?? [], ([name, configured]) => stateOf(name, configured));
  }

  // As runs of the caller begin: an imposed skill narrows them from the first step.
  function toolsOf(name: string, { imposedSkills }: ConfiguredAgent, { mayCall }: View): (tool: string) => boolean {
    const rules = createToolRules(agents?.rulesOf(name) ?? {}, toolbox);
    return (tool) =>
      mayCall(tool) &&
      rules.has(tool) &&
      imposedSkills.every(({ allowedTools }) => allowedTools === undefined || allowedTools.includes(tool));
  }

  // Without the path, which is internal to this machine.
  function skillSummary(skill: Skill): SkillSummary {
    const { name, description, version, allowedTools } = skill;
    return {
      name,
      kind: 'skill',
      description,
      version,
      ...(allowedTools === undefined ? {} : { allowedTools }),
      agents: forAgents((agent, configured) => skillState(agent, configured, skill)),
      warnings: [],
    };
  }

  function kitSummary(kit: Kit, view: View): SkillSummary {
    const { name, goal: description, version, needs } = kit;
    return {
      name,
      kind: 'kit',
      description,
      version,
      ...(view.isOperator && {
        needs: needs.map(({ any, purpose }) => ({ any, ...(purpose === undefined ? {} : { purpose }) })),
      }),
      agents: forAgents((agent, configured) => {
        if (!configured.kits.includes(kit)) return hidden(agent, `${placeOf(agent)}.kits does not name it`);
        const state = comparison().stateOf(kit, toolsOf(agent, configured, view));
        return state.isVisible ? { name: agent, state: 'imposed' } : hidden(agent, state.reason);
      }),
      warnings: view.isOperator ? [...kitWarnings(kit, guides, toolbox)] : [],
    };
  }

  function toolSkillSummary(skill: ToolSkill, view: View): SkillSummary {
    const { tool, version, whenToUse = [], whenNotToUse = [], tips = [] } = skill;
    return {
      name: tool,
      kind: 'tool-skill',
      description: whenToUse[0] ?? whenNotToUse[0] ?? tips[0] ?? '',
      version,
      ...(view.isOperator && { needs: [{ any: [tool] }] }),
      agents: forAgents((agent, configured) => {
        const reason = comparison().hiddenReason(skill, toolsOf(agent, configured, view));
        return reason === undefined ? { name: agent, state: 'imposed' } : hidden(agent, reason);
      }),
      warnings: view.isOperator ? [...toolSkillWarnings(skill, guides, toolbox)] : [],
    };
  }

  return [
    implement(api.skills.list, ({ caller: { principal, roles } }) => {
      const ofCaller = toolAccess.toolsOf(principal);
      const isOperator = roles.some((role) => role !== 'run');
      const view = { mayCall: (tool: string) => ofCaller?.has(tool) ?? true, isOperator };
      const guided = [
        ...guides.current.kits.map((kit) => kitSummary(kit, view)),
        ...guides.current.toolSkills.map((skill) => toolSkillSummary(skill, view)),
      ];
      // Those that are hidden name tools that the caller may not know.
      const shown = isOperator ? guided : guided.filter((each) => each.agents.some(({ state }) => state !== 'hidden'));
      return {
        items: [...skills.all.map(skillSummary), ...shown].map((each) => (isOperator ? each : withoutReasons(each))),
        ...(isOperator && {
          failures: [...skills.failures, ...guides.failures].map(({ from, message }) => ({
            from: clean(from),
            message: clean(message),
          })),
        }),
      };
    }),
  ];
}

/** A caller: the tools that it may call, and whether it may read the names of others. */
interface View {
  readonly mayCall: (tool: string) => boolean;
  readonly isOperator: boolean;
}

function withoutReasons(summary: SkillSummary): SkillSummary {
  return { ...summary, agents: summary.agents.map(({ name, state }) => ({ name, state })) };
}

function skillState(name: string, { entry, skills, imposedSkills }: ConfiguredAgent, skill: Skill): AgentState {
  if (imposedSkills.includes(skill)) return { name, state: 'imposed' };
  if (skills.includes(skill)) return { name, state: 'offered' };
  const reason =
    entry.skills?.offer === undefined
      ? `${placeOf(name)} works in another workspace`
      : `${placeOf(name)}.skills.offer does not name it`;
  return hidden(name, reason);
}

function hidden(name: string, reason: string): AgentState {
  return { name, state: 'hidden', reason };
}

function placeOf(agent: string): string {
  return agent === builtInAgent ? 'agent' : `agents.${agent}`;
}
