import { createToolRules, ToolInvoker, Toolbox } from '@ravi/invoker';
import type { AllowList, ToolRuleLists, ToolRules } from '@ravi/invoker';
import { KernelError, silentLogger, toolNamePattern } from '@ravi/kernel';
import type { AnyTool, ToolRegistry } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';
import type { AgentDefinition } from './agent/agent-definition.ts';
import type { AgentOptions, CompactionLimits, RequestDefaults } from './agent/agent-options.ts';
import { createOutputCheck } from './agent/output-check.ts';
import { ToolGuides } from './skills/tool-guides.ts';
import { askClarificationTool, askUserTool } from './tools/question-tools.ts';
import { infoTool } from './tools/info-tool.ts';
import { isBackgroundTool, isRegistered, jobTools } from './tools/job-tools.ts';
import { skillTools } from './tools/skill-tools.ts';

/** Checks options, fills in defaults, and adds tools to the registry. @throws KernelError `E_CONFIG_INVALID`, `E_TOOL_INVALID`, `E_TOOL_NAME_CONFLICT` */
export function defineAgent(options: AgentOptions): AgentDefinition {
  const { name, maxSteps = 32, modelRetries = 4, maxModelRetryDelayMs = 60_000, skills = emptyArray } = options;
  if (!toolNamePattern.test(name)) throw invalid(`name ${JSON.stringify(name)} must match ${toolNamePattern.source}`);
  if (!Number.isSafeInteger(maxSteps) || maxSteps < 1) throw invalid(`maxSteps must be at least 1, got ${maxSteps}`);
  if (options.inputs !== undefined && [options.runs, options.history, options.process].includes(undefined)) {
    throw invalid('inputs need the options runs, history and process');
  }
  const { maxTokens = Infinity, keepTokens = 0 } = options.compaction || {};
  if (keepTokens >= maxTokens) throw invalid(`compaction.keepTokens is ${keepTokens}, not below maxTokens`);
  const invoker = invokerOf(options);
  const allowLists = [
    ...registerTools(invoker.registry, options),
    ...rulesOf(invoker.registry, options),
    ...imposedLists(options),
  ];
  return {
    name,
    model: options.model,
    invoker,
    logger: options.logger ?? silentLogger,
    allowLists: allowLists.length === 0 ? emptyArray : allowLists,
    loopTools: () => loopToolsOf(invoker.registry),
    system: options.system ?? '',
    maxSteps,
    modelRetries,
    maxModelRetryDelayMs,
    request: options.request ?? noDefaults,
    output: options.output === undefined ? undefined : createOutputCheck(options.output),
    budget: options.budget,
    prices: options.prices,
    skills,
    imposedSkills: options.imposedSkills ?? emptyArray,
    guides: new ToolGuides(options, invoker.registry),
    middleware: options.middleware ?? emptyArray,
    stopWhen: options.stopWhen ?? emptyArray,
    view: options.view,
    compaction: options.compaction ?? noDefaults,
    promoteAfterMs: options.promoteAfterMs,
    history: options.history,
    runs: options.runs,
    process: options.process,
    inputs: options.inputs,
    approvals: options.approvals ?? 'wait',
    approvalExpiryMs: options.approvalExpiryMs ?? sevenDaysMs,
    onApprovalExpiry: options.onApprovalExpiry ?? 'deny',
    jobs: options.jobs,
    supervision: options.supervision,
    toolBudget: options.toolBudget,
    cwd: options.cwd,
  };
}

const sevenDaysMs = 604_800_000;

const loopTools: readonly AnyTool[] = [...skillTools, ...jobTools, infoTool, askUserTool, askClarificationTool];

const noDefaults: RequestDefaults & CompactionLimits = Object.freeze({});

/** True if a tool of a registry is one that the agent loop itself provides: for skills, jobs and questions. */
export function isLoopTool(registry: ToolRegistry, name: string): boolean {
  const tool = loopTools.find((each) => each.name === name);
  return tool !== undefined && isRegistered(registry, tool);
}

function loopToolsOf(registry: ToolRegistry): readonly string[] {
  const present = loopTools.filter((tool) => isRegistered(registry, tool));
  return present.length === 0 ? emptyArray : present.map((tool) => tool.name);
}

const invokerParts = [
  'approvalHandler',
  'artifactStore',
  'policy',
  'hooks',
  'journal',
  'scratchpads',
  'digestKey',
  'clock',
] as const;

function invokerOf(options: AgentOptions): ToolInvoker {
  const { invoker, tools = [] } = options;
  if (invoker === undefined) {
    const { logger, hooks } = options;
    const reports = { ...(logger === undefined ? {} : { logger }), ...(hooks === undefined ? {} : { hooks }) };
    return new ToolInvoker({ ...options, registry: isRegistry(tools) ? tools : new Toolbox(tools, reports) });
  }
  const misplaced = invokerParts.filter((part) => options[part] !== undefined);
  if (misplaced.length > 0)
    throw invalid(`pass ${misplaced.join(', ')} to the invoker: an agent with an invoker does not create its own`);
  if (isRegistry(tools))
    throw invalid('pass tools as an array when you pass an invoker: the invoker already has a registry');
  return invoker;
}

// Returns the list of the tools that the agent may call; none if it may call all of the registry.
function registerTools(registry: ToolRegistry, options: AgentOptions): readonly AllowList[] {
  const { tools, invoker } = options;
  const listed = tools === undefined || isRegistry(tools) ? [] : tools;
  const needed = neededTools(registry, options, listed);
  for (const tool of [...listed, ...needed]) registerTool(registry, tool);
  if (invoker === undefined || tools === undefined) return emptyArray;
  return [new Set([...listed, ...needed].map((tool) => tool.name))];
}

// The names of the loop's tools are part of the rules, so that a stored run keeps them when the rules change.
function rulesOf(registry: ToolRegistry, { toolRules }: AgentOptions): readonly AllowList[] {
  if (toolRules === undefined) return emptyArray;
  return [typeof toolRules === 'function' ? changingRules(toolRules, registry) : fixedRules(toolRules, registry)];
}

function fixedRules({ allow, deny }: ToolRuleLists, registry: ToolRegistry): ToolRules {
  const own = loopTools.map(({ name }) => name);
  return createToolRules({ ...(allow && { allow: [...allow, ...own] }), ...(deny && { deny }) }, registry);
}

function changingRules(read: () => ToolRuleLists, registry: ToolRegistry): ToolRules {
  let known = read();
  let rules = fixedRules(known, registry);
  const current = (): ToolRules => {
    const lists = read();
    if (lists !== known) [known, rules] = [lists, fixedRules(lists, registry)];
    return rules;
  };
  return {
    get lists() {
      return current().lists;
    },
    has: (tool) => current().has(tool),
  };
}

// Lists of the agent are stored with a run, so that they hold after a restart, also if the skill is gone then.
function imposedLists({ imposedSkills = [] }: AgentOptions): readonly AllowList[] {
  const own = loopTools.map(({ name }) => name);
  return imposedSkills.flatMap(({ allowedTools }) =>
    allowedTools === undefined ? [] : [new Set([...allowedTools, ...own])],
  );
}

function neededTools(registry: ToolRegistry, options: AgentOptions, listed: readonly AnyTool[]): readonly AnyTool[] {
  const mayHaveJobs = options.promoteAfterMs !== undefined || [...registry.all(), ...listed].some(isBackgroundTool);
  return [...((options.skills?.length ?? 0) > 0 ? skillTools : []), ...(mayHaveJobs ? jobTools : [])];
}

function registerTool(registry: ToolRegistry, tool: AnyTool): void {
  const known = registry.get(tool.name);
  if (known === undefined) return registry.add(tool);
  if (isRegistered(registry, tool)) return;
  throw new KernelError(
    'E_TOOL_NAME_CONFLICT',
    `The registry already has another tool named ${tool.name}; rename one of them`,
  );
}

function isRegistry(tools: readonly AnyTool[] | ToolRegistry): tools is ToolRegistry {
  return !Array.isArray(tools);
}

function invalid(message: string): KernelError {
  return new KernelError('E_CONFIG_INVALID', `Agent: ${message}`);
}
