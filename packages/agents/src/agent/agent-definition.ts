import type { KeptProcess } from '../process/kept-process.ts';
import type { AllowList, ToolInvoker } from '@ravi/invoker';
import type {
  ExpiryPolicy,
  HistoryStore,
  HistoryView,
  JobStore,
  Logger,
  ModelProvider,
  RunInputStore,
  RunStore,
  Skill,
} from '@ravi/kernel';
import type { ToolGuides } from '../skills/tool-guides.ts';
import type { Supervision } from '../supervision/supervision.ts';
import type { Agent } from './agent-context.ts';
import type { ApprovalMode, CompactionLimits, RequestDefaults, StopCondition, ToolBudget } from './agent-options.ts';
import type { BudgetLimits } from './budget.ts';
import type { AgentMiddleware } from './middleware.ts';
import type { OutputCheck } from './output-check.ts';
import type { PriceTable } from './usage.ts';

/** Options of an agent with every default filled in, shared by all of its runs. */
export interface AgentDefinition {
  readonly name: string;
  readonly model: ModelProvider;
  readonly invoker: ToolInvoker;
  readonly logger: Logger;
  /** Lists that each tool of the agent must be in. */
  readonly allowLists: readonly AllowList[];
  /** Returns the names of the loop's own tools in the registry, which have no effect outside the run. No skill disallows them. */
  loopTools(): readonly string[];
  readonly system: string;
  readonly maxSteps: number;
  readonly modelRetries: number;
  readonly maxModelRetryDelayMs: number;
  readonly request: RequestDefaults;
  readonly output: OutputCheck | undefined;
  readonly budget: BudgetLimits | undefined;
  readonly prices: PriceTable | undefined;
  readonly skills: readonly Skill[];
  readonly imposedSkills: readonly Skill[];
  readonly guides: ToolGuides;
  readonly middleware: readonly AgentMiddleware[];
  readonly stopWhen: readonly StopCondition[];
  readonly view: HistoryView | undefined;
  readonly compaction: false | CompactionLimits;
  readonly promoteAfterMs: number | undefined;
  readonly history: HistoryStore | undefined;
  readonly runs: RunStore | undefined;
  readonly process: KeptProcess | undefined;
  readonly inputs: RunInputStore | undefined;
  readonly approvals: ApprovalMode;
  readonly approvalExpiryMs: number;
  readonly onApprovalExpiry: ExpiryPolicy;
  readonly jobs: JobStore | undefined;
  readonly supervision: Supervision | undefined;
  readonly toolBudget: ToolBudget | undefined;
  readonly cwd: string | undefined;
}

const key: unique symbol = Symbol('definition of an agent');

// A property, not a WeakMap: programs create thousands of agents, and a WeakMap with young keys slows every collection.
interface Defined {
  [key]?: AgentDefinition;
}

/** Attaches a definition to an agent. It is not part of the public API. */
export function keepDefinition(agent: Agent, definition: AgentDefinition): void {
  (agent as Defined)[key] = definition;
}

/** Returns the definition of an agent. @throws TypeError for any other object */
export function definitionOf(agent: Agent): AgentDefinition {
  const definition = (agent as Defined)[key];
  if (definition === undefined) throw new TypeError('Expected a ReActAgent');
  return definition;
}
