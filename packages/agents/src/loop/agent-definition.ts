import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { freezeTool } from '@ravi/invoker/internal';
import { isLocalTool, KernelError, silentLogger, toolNamePattern } from '@ravi/kernel';
import type {
  AnyTool,
  HistoryStore,
  JobStore,
  Logger,
  ModelProvider,
  RunStore,
  Skill,
  ToolRegistry,
} from '@ravi/kernel';
import { emptyArray } from '@ravi/support';
import { jobTools } from '../execution/job-tools.ts';
import { infoTool } from '../prompt/info-tool.ts';
import { askClarificationTool, askUserTool } from '../questions/ask-tools.ts';
import { skillTools } from '../skills/skill-tools.ts';
import type { Supervision } from '../supervision/supervision.ts';
import type { AgentOptions, RequestDefaults, RunLeasing, StopCondition } from './agent-options.ts';
import type { BudgetLimits } from './budget.ts';
import type { HistoryView } from './compaction.ts';
import type { AgentMiddleware } from './middleware.ts';
import { createOutputCheck } from './output-check.ts';
import type { OutputCheck } from './output-check.ts';
import type { PriceTable } from './prices.ts';
import type { ReActAgent } from './react-agent.ts';

/** An agent with every default filled in: what all of its runs share. */
export interface AgentDefinition {
  readonly name: string;
  readonly model: ModelProvider;
  readonly invoker: ToolInvoker;
  readonly logger: Logger;
  /** Absent means every tool of the registry. */
  readonly allowedTools: readonly string[] | undefined;
  /** Names of the loop's own tools, which reach nothing outside and which no skill takes away. */
  readonly loopTools: readonly string[];
  readonly system: string;
  readonly maxSteps: number;
  readonly modelRetries: number;
  readonly request: RequestDefaults;
  readonly output: OutputCheck | undefined;
  readonly budget: BudgetLimits | undefined;
  readonly prices: PriceTable | undefined;
  readonly skills: readonly Skill[];
  readonly middleware: readonly AgentMiddleware[];
  readonly stopWhen: readonly StopCondition[];
  readonly view: HistoryView | undefined;
  readonly promoteAfterMs: number | undefined;
  readonly history: HistoryStore | undefined;
  readonly runs: RunStore | undefined;
  readonly lease: Required<RunLeasing> | undefined;
  readonly jobs: JobStore | undefined;
  readonly supervision: Supervision | undefined;
}

const key: unique symbol = Symbol('definition of an agent');

// A property and not a weak map: agents are made by the thousand, and a weak map of young keys burdens every collection.
interface Defined {
  [key]?: AgentDefinition;
}

/** Gives an agent its definition, which is no part of its public face. */
export function keepDefinition(agent: ReActAgent, definition: AgentDefinition): void {
  (agent as Defined)[key] = definition;
}

/** The definition of an agent. @throws TypeError for something else */
export function definitionOf(agent: ReActAgent): AgentDefinition {
  const definition = (agent as Defined)[key];
  if (definition === undefined) throw new TypeError('This is no agent');
  return definition;
}

/** @throws KernelError `E_CONFIG_INVALID`, `E_TOOL_INVALID`, `E_TOOL_NAME_CONFLICT` */
export function defineAgent(options: AgentOptions): AgentDefinition {
  const { name, maxSteps = 32, modelRetries = 2, skills = emptyArray } = options;
  if (!toolNamePattern.test(name)) throw invalid(`name ${JSON.stringify(name)} must match ${toolNamePattern.source}`);
  if (!Number.isSafeInteger(maxSteps) || maxSteps < 1) throw invalid(`maxSteps must be at least 1, got ${maxSteps}`);
  const invoker = invokerOf(options);
  const allowedTools = addTools(invoker.registry, options);
  return {
    name,
    model: options.model,
    invoker,
    logger: options.logger ?? silentLogger,
    allowedTools,
    loopTools: loopToolsOf(invoker.registry),
    system: options.system ?? '',
    maxSteps,
    modelRetries,
    request: options.request ?? noDefaults,
    output: options.output === undefined ? undefined : createOutputCheck(options.output),
    budget: options.budget,
    prices: options.prices,
    skills,
    middleware: options.middleware ?? emptyArray,
    stopWhen: options.stopWhen ?? emptyArray,
    view: options.view,
    promoteAfterMs: options.promoteAfterMs,
    history: options.history,
    runs: options.runs,
    lease: options.lease === undefined ? undefined : { leaseMs: 10_000, ...options.lease },
    jobs: options.jobs,
    supervision: options.supervision,
  };
}

const loopTools: readonly AnyTool[] = [...skillTools, ...jobTools, infoTool, askUserTool, askClarificationTool];

const noDefaults: RequestDefaults = Object.freeze({});

function loopToolsOf(registry: ToolRegistry): readonly string[] {
  const present = loopTools.filter((tool) => registry.get(tool.name) === freezeTool(tool));
  return present.length === 0 ? emptyArray : present.map((tool) => tool.name);
}

const invokerParts = ['approvalHandler', 'artifactStore', 'policy', 'hooks', 'journal', 'clock'] as const;

function invokerOf(options: AgentOptions): ToolInvoker {
  const { invoker, tools = [] } = options;
  if (invoker === undefined) {
    const { logger, hooks } = options;
    const reports = { ...(logger === undefined ? {} : { logger }), ...(hooks === undefined ? {} : { hooks }) };
    return new ToolInvoker({ ...options, registry: isRegistry(tools) ? tools : new Toolbox(tools, reports) });
  }
  const misplaced = invokerParts.filter((part) => options[part] !== undefined);
  if (misplaced.length > 0) throw invalid(`${misplaced.join(', ')} belong to the invoker that was given`);
  if (isRegistry(tools)) throw invalid('beside an invoker, tools must be a list: the registry is the invoker’s');
  return invoker;
}

// The names that the agent may call, when it does not simply have everything.
function addTools(registry: ToolRegistry, options: AgentOptions): readonly string[] | undefined {
  const { tools, invoker } = options;
  const listed = tools === undefined || isRegistry(tools) ? [] : tools;
  const needed = neededTools(registry, options, listed);
  for (const tool of [...listed, ...needed]) ensureTool(registry, tool);
  if (invoker === undefined || tools === undefined) return undefined;
  return [...listed, ...needed].map((tool) => tool.name);
}

function neededTools(registry: ToolRegistry, options: AgentOptions, listed: readonly AnyTool[]): readonly AnyTool[] {
  const mayHaveJobs =
    options.promoteAfterMs !== undefined ||
    [...registry.all(), ...listed].some((tool) => isLocalTool(tool) && tool.mode === 'background');
  return [...((options.skills?.length ?? 0) > 0 ? skillTools : []), ...(mayHaveJobs ? jobTools : [])];
}

function ensureTool(registry: ToolRegistry, tool: AnyTool): void {
  const known = registry.get(tool.name);
  if (known === undefined) return registry.add(tool);
  if (known === tool || known === freezeTool(tool)) return;
  throw new KernelError('E_TOOL_NAME_CONFLICT', `The registry has another tool named ${tool.name}; rename one of them`);
}

function isRegistry(tools: readonly AnyTool[] | ToolRegistry): tools is ToolRegistry {
  return !Array.isArray(tools);
}

function invalid(message: string): KernelError {
  return new KernelError('E_CONFIG_INVALID', `Agent: ${message}`);
}
