import { Supervision } from '@ravi/agents';
import type { ResolvedConfig } from '@ravi/host';
import { KernelError } from '@ravi/kernel';
import type { Skill } from '@ravi/kernel';
import { isDeepStrictEqual } from 'node:util';
import { changesOf } from '../reload/reloadable.ts';
import type { Guides } from '../reload/load-guides.ts';
import type { NameChanges, Reloadable } from '../reload/reloadable.ts';
import { delegatesSource } from '../sources/built-in-tools.ts';
import { createAgentSet, noTools } from './agent-set.ts';
import type { AgentSet, AgentSetOptions, ConfiguredAgent, CreatedAgentSet } from './agent-set.ts';

/** Agents of a process. They may change while it works. */
export interface LiveAgents extends AgentSet, Reloadable {
  /** Compares the agents with those of before. */
  changesSince(before: AgentSet['all']): NameChanges;
}

/** Options of {@link createLiveAgents}. */
export interface LiveAgentsOptions extends Omit<AgentSetOptions, 'config' | 'shared' | 'supervision' | 'currentRules'> {
  readonly config: AgentParts;
  /** Stores and settings that all agents of a configuration share. */
  readonly sharedOf: (config: AgentParts) => AgentSetOptions['shared'];
}

type AgentParts = Pick<ResolvedConfig, (typeof keys)[number]>;
const keys = ['agent', 'agents', 'defaultAgent', 'supervision', 'workspaces'] as const;

/** Keys, skills, kits and tool skills of a set, with which it is made again only if one of them has changed. */
interface Version {
  readonly config: AgentParts;
  readonly skills: readonly Skill[];
  readonly guides: Guides;
  readonly supervision: Supervision;
  readonly set: CreatedAgentSet;
}

/**
 * Creates the agents of a configuration and offers those that are delegates as tools. A run keeps the agent with which it began; the
 * patterns of its tools are those of the current configuration, and an agent that is gone has no tools.
 * @throws KernelError `E_CONFIG_INVALID` for an unknown model, skill or pattern, `E_TOOL_NAME_CONFLICT`
 */
export function createLiveAgents(options: LiveAgentsOptions): LiveAgents {
  const { sharedOf, toolbox, ...others } = options;

  function create(
    config: AgentParts,
    { skills, guides }: Pick<Version, 'skills' | 'guides'>,
    previous?: Version,
  ): Version {
    // The places of models that write now are counted in it.
    const supervision =
      previous !== undefined && isDeepStrictEqual(previous.config.supervision, config.supervision)
        ? previous.supervision
        : new Supervision({ ...config.supervision, countsPerRun: true });
    const copy = copyOf(config);
    const set = createAgentSet({
      ...others,
      toolbox,
      config: copy,
      shared: sharedOf(copy),
      skills,
      guides,
      supervision,
      // While the first set is created, there are none yet, and no run.
      currentRules: (name) => current?.set.rulesOf(name) ?? noTools,
    });
    for (const name of set.delegates.keys()) {
      const source = toolbox.sourceOf(name);
      if (source === undefined || source === delegatesSource) continue;
      throw new KernelError(
        'E_TOOL_NAME_CONFLICT',
        `The delegate "${name}" has the name of a tool of ${source}; give the delegate another "name"`,
      );
    }
    return { config: copy, skills, guides, supervision, set };
  }

  function offer({ set }: Version): void {
    for (const { error } of toolbox.setSource(delegatesSource, [...set.delegates.values()], { isOwn: true }))
      throw error;
  }

  let current: Version | undefined;
  const first = create(options.config, options);
  current = first;
  offer(first);
  const now = (): CreatedAgentSet => (current ?? first).set;

  return {
    get defaultName() {
      return now().defaultName;
    },
    get all() {
      return now().all;
    },
    rulesOf: (name) => now().rulesOf(name),
    warningsOf: (name) => now().warningsOf(name),
    changesSince: (before) => changesOf(before, now().all, isSameAgent),
    async prepare({ config, skills, guides }) {
      const known = current ?? first;
      const isSame = known.skills === skills && known.guides === guides;
      if (isSame && isDeepStrictEqual(known.config, copyOf(config))) return undefined;
      const next = create(config, { skills, guides }, known);
      return {
        commit() {
          current = next;
          offer(next);
        },
      };
    },
  };
}

// A live configuration would be the new one already when it is compared.
function copyOf(config: AgentParts): AgentParts {
  const { agent, agents, defaultAgent, supervision, workspaces } = config;
  return { agent, agents, defaultAgent, supervision, workspaces };
}

function isSameAgent(left: ConfiguredAgent, right: ConfiguredAgent): boolean {
  return isDeepStrictEqual(shownOf(left), shownOf(right));
}

function shownOf({ entry, skills, imposedSkills, kits, model }: ConfiguredAgent): unknown {
  return { entry, skills, imposedSkills, kits, model };
}
