import { askToolNames, createAgentTool, createJudge, ReActAgent, verdictOutput } from '@ravi/agents';
import type { AgentMiddleware, AgentOptions, Supervision } from '@ravi/agents';
import { builtInAgent, delegatesOf } from '@ravi/host';
import type { AgentEntry, ResolvedConfig } from '@ravi/host';
import { createToolRules } from '@ravi/invoker';
import type { Toolbox, ToolInvoker, ToolRuleLists } from '@ravi/invoker';
import { isHostedTool, isLocalTool, KernelError, staticRisk } from '@ravi/kernel';
import type { Clock, InterceptedCall, Kit, ModelProvider, Skill, Tool } from '@ravi/kernel';
import { nearNames } from '@ravi/support';
import type { Guides } from '../reload/load-guides.ts';
import { builtInSource, delegatesSource } from '../sources/built-in-tools.ts';
import { hostedToolSearchName } from '../tools/hosted-tool-search.ts';
import { warningsOfAgent } from '../access/rule-warnings.ts';
import { workspaceKind, workspaceOfSkill } from '../workspaces/workspace-set.ts';
import { modelOfReferences } from './model-references.ts';

/** Agents of a process by name. */
export interface AgentSet {
  /** Agent of runs that name none. */
  readonly defaultName: string;
  readonly all: ReadonlyMap<string, ConfiguredAgent>;
  /** Returns the patterns of the tools that an agent may call. */
  rulesOf(name: string): ToolRuleLists;
  /** Returns the patterns of an agent that match no tool at the moment, with suggestions. */
  warningsOf(name: string): readonly string[];
}

/** An agent and its settings. */
export interface ConfiguredAgent {
  readonly agent: ReActAgent;
  readonly entry: AgentEntry;
  readonly skills: readonly Skill[];
  /** Skills that are active in all of its runs. */
  readonly imposedSkills: readonly Skill[];
  /** Kits that it sees while it may call their tools. */
  readonly kits: readonly Kit[];
  /** Name of its model; `undefined` for the one of agents that name none. */
  readonly model: string | undefined;
}

/** Options of {@link createAgentSet}. */
export interface AgentSetOptions {
  readonly config: Pick<ResolvedConfig, 'agent' | 'agents' | 'defaultAgent' | 'supervision' | 'workspaces'>;
  /** Stores and settings that all agents share. */
  readonly shared: Omit<AgentOptions, 'name' | 'model' | 'middleware'> & { readonly invoker: ToolInvoker };
  readonly middleware: readonly AgentMiddleware[];
  /** Model of agents that name none. */
  readonly model: ModelProvider;
  readonly models: readonly ModelProvider[];
  readonly skills: readonly Skill[];
  readonly guides: Guides;
  /** True if the tools and skills of a workspace are there now. */
  readonly isLoaded: (workspace: string) => boolean;
  readonly toolbox: Toolbox;
  readonly clock: Clock;
  /** Limits that all agents share. */
  readonly supervision: Supervision;
  /** Returns the patterns that hold for an agent now, also after a reload that this set does not know; the same object while they are the same. */
  readonly currentRules: (name: string) => ToolRuleLists;
}

/** Agents that are not offered as tools yet. */
export interface CreatedAgentSet extends AgentSet {
  /** Delegates by the names of their tools. */
  readonly delegates: ReadonlyMap<string, Tool>;
}

/**
 * Creates the agents of a configuration over one invoker. The caller adds the delegates to the toolbox.
 * @throws KernelError `E_CONFIG_INVALID` for an unknown model, skill or pattern
 */
export function createAgentSet(options: AgentSetOptions): CreatedAgentSet {
  const { config, toolbox, supervision } = options;
  const { agent: builtIn, agents, workspaces } = config;
  const { demoScript: _, prices: __, modelCooldownMs: ___, hostedToolSearch: ____, ...ownEntry } = builtIn;
  const entries = new Map([[builtInAgent, ownEntry as AgentEntry], ...Object.entries(agents)]);
  const tools = new Map<string, Tool>();
  const all = new Map<string, ConfiguredAgent>();
  const judges = new Map<string, ReActAgent>();

  // A delegate is created before the agent that calls it; the configuration has no circles.
  function agentNamed(name: string): ConfiguredAgent {
    const known = all.get(name);
    if (known !== undefined) return known;
    const entry = entryOf(name);
    const delegates = delegatesOf(entry);
    for (const { agent, name: toolName, priority, mode } of delegates) {
      const tool = createAgentTool(agentNamed(agent).agent, {
        name: toolName,
        hasOwnTools: true,
        ...(priority === undefined ? {} : { priority }),
        ...(mode === undefined ? {} : { mode }),
      });
      addTool(tool, agent, { priority, mode });
    }
    const guards = (entry.guards ?? []).map(({ agent, tools: patterns }) =>
      createJudge({ agent: judgeNamed(agent), judges: judgedBy(patterns, toolbox) }),
    );
    const created = create(name, entry, guards, {});
    all.set(name, created);
    return created;
  }

  function judgeNamed(name: string): ReActAgent {
    const known = judges.get(name);
    if (known !== undefined) return known;
    const { agent } = create(name, entryOf(name), [], { output: verdictOutput });
    judges.set(name, agent);
    return agent;
  }

  function entryOf(name: string): AgentEntry {
    return entries.get(name) ?? {};
  }

  function create(
    name: string,
    entry: AgentEntry,
    guards: readonly AgentMiddleware[],
    more: Pick<AgentOptions, 'output'>,
  ): ConfiguredAgent {
    const settings = name === builtInAgent ? entry : { ...inherited(entryOf(builtInAgent)), ...entry };
    const place = name === builtInAgent ? 'agent' : `agents.${name}`;
    const { model = [], system, description, approvals, budget, maxSteps, promoteAfterMs } = settings;
    const { modelRetries, maxModelRetryDelayMs, maxToolTokens = defaultMaxToolTokens, compaction } = settings;
    const references = typeof model === 'string' ? [model] : model;
    const { clock } = options;
    const workspace = entry.workspace === undefined ? undefined : workspaces[entry.workspace];
    const cooldown = builtIn.modelCooldownMs === undefined ? {} : { cooldownMs: builtIn.modelCooldownMs };
    const chosen =
      references.length === 0
        ? { provider: options.model }
        : modelOfReferences(references, options.models, { place: `${place}.model`, clock, ...cooldown });
    // A judge answers with its verdict and asks no one.
    const isJudge = more.output !== undefined;
    // Checks the patterns: the agent reads the current ones at each call.
    createToolRules(rulesOf(settings, entries, workspaces), toolbox);
    const { offered: skills, imposed: imposedSkills } = skillsOf(options.skills, entry, { place, workspaces });
    const kits =
      entry.kits === undefined
        ? options.guides.kits
        : findNamed(entry.kits, options.guides.kits, 'kit', `${place}.kits`);
    const agent = new ReActAgent({
      ...options.shared,
      name,
      supervision,
      skills,
      kits,
      toolSkills: options.guides.toolSkills,
      toolBudget: {
        maxTokens: maxToolTokens,
        keeps: (tool) => keptSources.has(toolbox.sourceOf(tool) ?? ''),
      },
      imposedSkills,
      model: chosen.provider,
      middleware: [...options.middleware, ...guards],
      toolRules: isJudge ? withoutQuestions(() => options.currentRules(name)) : () => options.currentRules(name),
      ...(description === undefined ? {} : { description }),
      ...(chosen.model === undefined ? {} : { request: { model: chosen.model } }),
      ...(system === undefined ? {} : { system }),
      ...(workspace === undefined ? {} : { cwd: workspace.path }),
      ...(approvals?.mode === undefined ? {} : { approvals: approvals.mode }),
      ...(budget === undefined ? {} : { budget }),
      ...(maxSteps === undefined ? {} : { maxSteps }),
      ...(promoteAfterMs === undefined ? {} : { promoteAfterMs }),
      ...(modelRetries === undefined ? {} : { modelRetries }),
      ...(compaction === undefined ? {} : { compaction }),
      ...(maxModelRetryDelayMs === undefined ? {} : { maxModelRetryDelayMs }),
      ...more,
    });
    const named = references.length === 0 ? undefined : (chosen.model ?? chosen.provider.model ?? chosen.provider.id);
    return { agent, entry: settings, skills, imposedSkills, kits, model: named };
  }

  function unloadedWorkspace(name: string): readonly string[] {
    const { workspace } = entryOf(name);
    if (workspace === undefined || options.isLoaded(workspace)) return [];
    const place = name === builtInAgent ? 'agent' : `agents.${name}`;
    return [
      `${place}.workspace: the workspace "${workspace}" is not loaded; "ravi workspaces load ${workspace}" loads it`,
    ];
  }

  function addTool(tool: Tool, agent: string, settings: object): void {
    const { name } = tool;
    const known = tools.get(name);
    const isSame = JSON.stringify(madeOf.get(name)) === JSON.stringify({ agent, settings });
    if (known !== undefined && !isSame) {
      throw new KernelError(
        'E_CONFIG_INVALID',
        `agents: two delegates with the tool name "${name}" differ; give one of them another "name"`,
      );
    }
    madeOf.set(name, { agent, settings });
    tools.set(name, known ?? tool);
  }

  const madeOf = new Map<string, { readonly agent: string; readonly settings: object }>();
  for (const name of entries.keys()) agentNamed(name);
  const rules = new Map(Array.from(all, ([name, { entry }]) => [name, rulesOf(entry, entries, workspaces)]));
  return {
    defaultName: config.defaultAgent,
    all,
    delegates: tools,
    rulesOf: (name) => rules.get(name) ?? noTools,
    warningsOf: (name) => [...unloadedWorkspace(name), ...warningsOfAgent(name, config, toolbox)],
  };
}

/** Settings of the built-in agent that are defaults of the others. */
function inherited(entry: AgentEntry): AgentEntry {
  const { model, approvals, budget, maxSteps, modelRetries, maxModelRetryDelayMs, promoteAfterMs } = entry;
  const { questions, maxToolTokens, compaction } = entry;
  const ofModel = { model, modelRetries, maxModelRetryDelayMs, questions, maxToolTokens, compaction };
  const settings = { ...ofModel, approvals, budget, maxSteps, promoteAfterMs };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** Sources whose tools every request declares: those of the runtime find the others. */
const keptSources: ReadonlySet<string> = new Set([builtInSource, delegatesSource]);
const discoveryNames: readonly string[] = ['search_tools', 'describe_tool', hostedToolSearchName];
const defaultMaxToolTokens = 3_000;

// An agent may call its own delegates and no others, also if its patterns match them.
// The same for the tools of its workspace, but its list may allow those of others.
function rulesOf(
  entry: AgentEntry,
  entries: ReadonlyMap<string, AgentEntry>,
  workspaces: ResolvedConfig['workspaces'],
): ToolRuleLists {
  const own = new Set(delegatesOf(entry).map(({ name }) => name));
  const others = [...entries.values()].flatMap(delegatesOf).filter(({ name }) => !own.has(name));
  const { allow, deny = [] } = entry.tools ?? {};
  const toolsOf = (workspace: string): string => `${workspaceKind}:${workspace}/*`;
  const ofWorkspace = entry.workspace === undefined ? [] : [toolsOf(entry.workspace)];
  const otherWorkspaces = Object.keys(workspaces)
    .filter((name) => name !== entry.workspace)
    .map(toolsOf);
  const unasked = entry.questions === false ? askToolNames : [];
  const privileged = entry.privileged === true ? [] : privilegedTools;
  return {
    ...(allow === undefined ? {} : { allow: [...allow, ...ofWorkspace, ...own, ...discoveryNames] }),
    deny: [
      ...deny,
      ...(allow === undefined ? otherWorkspaces : []),
      ...new Set(others.map(({ name }) => name)),
      ...unasked,
      ...privileged,
    ],
  };
}

/** Patterns of the tools for agents with `privileged: true`, by the names that their source gives them. */
const privilegedTools: readonly string[] = ['group_add_node', 'group_channel', 'group_wire'].map(
  (name) => `privileged:*/${name}`,
);

/** Rules of an agent that is gone. */
export const noTools: ToolRuleLists = { allow: [] };

function withoutQuestions(read: () => ToolRuleLists): () => ToolRuleLists {
  let known: ToolRuleLists | undefined;
  let rules: ToolRuleLists = noTools;
  return () => {
    const lists = read();
    if (lists !== known) rules = { ...lists, deny: [...(lists.deny ?? []), ...askToolNames] };
    known = lists;
    return rules;
  };
}

function judgedBy(patterns: readonly string[] | undefined, toolbox: Toolbox): (call: InterceptedCall) => boolean {
  if (patterns !== undefined) {
    const rules = createToolRules({ allow: patterns }, toolbox);
    return ({ tool }) => rules.has(tool);
  }
  return ({ tool: name, args }) => {
    const tool = toolbox.get(name);
    if (tool === undefined || isHostedTool(tool)) return true;
    if (staticRisk(tool, 'high') !== 'safe') return true;
    try {
      return isLocalTool(tool) && tool.classifyRisk !== undefined && tool.classifyRisk(args).risk !== 'safe';
    } catch {
      return true;
    }
  };
}

function skillsOf(
  skills: readonly Skill[],
  { skills: wanted = {}, workspace }: AgentEntry,
  { place, workspaces }: { readonly place: string; readonly workspaces: ResolvedConfig['workspaces'] },
): { readonly offered: readonly Skill[]; readonly imposed: readonly Skill[] } {
  const named = (key: 'offer' | 'impose'): readonly Skill[] =>
    findNamed(wanted[key] ?? [], skills, 'skill', `${place}.skills.${key}`);
  const imposed = named('impose');
  const isShared = (skill: Skill): boolean => {
    const owner = workspaceOfSkill(skill, workspaces);
    return owner === undefined || owner === workspace;
  };
  const offered = wanted.offer === undefined ? skills.filter(isShared) : named('offer');
  return { offered: offered.filter((skill) => !imposed.includes(skill)), imposed };
}

function findNamed<Item extends { readonly name: string }>(
  names: readonly string[],
  items: readonly Item[],
  what: string,
  place: string,
): readonly Item[] {
  return names.map((name, index) => {
    const found = items.find((item) => item.name === name);
    if (found !== undefined) return found;
    const known = items.map((item) => item.name);
    const near = nearNames(name, known);
    const list = (names: readonly string[], word: string): string => names.map((each) => `"${each}"`).join(word);
    const hint =
      near.length > 0
        ? `; did you mean ${list(near, ' or ')}?`
        : known.length > 0
          ? `; there are ${list(known.slice(0, 20), ', ')}${known.length > 20 ? ', …' : ''}`
          : `; there are no ${what}s`;
    throw new KernelError('E_CONFIG_INVALID', `${place}[${index}]: there is no ${what} "${name}"${hint}`);
  });
}
