import type { ApprovalFeed, ReActAgent } from '@ravi/agents';
import type { HookManager, Toolbox, ToolInvoker } from '@ravi/invoker';
import type { DurableChains, Preflight } from '@ravi/capabilities';
import type { ResolvedConfig } from '@ravi/host';
import type {
  ApprovalHandler,
  BlobStore,
  Clock,
  Logger,
  ModelProvider,
  Sandbox,
  Skill,
  SnippetStore,
  StateStore,
} from '@ravi/kernel';
import type { Hono } from 'hono';
import type { Telemetry } from '@ravi/otel';
import type { InjectionToken } from 'tsyringe';
import type { Access } from './access/access.ts';
import type { CallerApprovals } from './access/caller-approvals.ts';
import type { ChainRunner } from './runs/chain-runner.ts';
import type { ToolReport } from './tools/load-tools.ts';
import type { AgentRunner } from './runs/agent-runner.ts';
import type { RunRecorder } from './runs/run-recorder.ts';
import type { Redactor } from './logging/redactor.ts';
import type { TelemetryProviders } from './observability/telemetry-providers.ts';
import type { RunService } from './runs/run-service.ts';
import type { StoredEvents } from './runs/stored-events.ts';
import type { SnippetTools } from './tools/snippet-tools.ts';
import type { ToolMetrics } from './tools/tool-metrics.ts';

/** Everything that lives once per process, by the name of its token. */
export interface Services {
  readonly config: ResolvedConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Key of argument digests, 32 bytes. */
  readonly digestKey: Uint8Array;
  /** Folders that no message to a model, script or client may name. */
  readonly hostPaths: readonly string[];
  /** Aborts when the process shuts down; every session listens to it. */
  readonly lifetime: AbortSignal;
  readonly blobStore: BlobStore;
  readonly approvalHandler: ApprovalHandler;
  readonly sandbox: Sandbox;
  /** Checks scripts before they run; `false` when the configuration switches that off. */
  readonly preflight: Preflight | false;
  /** Registered only when the configuration names one. */
  readonly stateStore: StateStore;
  /** Tells of changes of approvals; registered with the state store. */
  readonly approvalFeed: ApprovalFeed;
  /** Chains that outlive the process; registered with the state store. */
  readonly durableChains: DurableChains;
  /** Who may use the server. */
  readonly access: Access;
  /** Registered where the server itself answers approvals. */
  readonly callerApprovals: CallerApprovals;
  readonly model: ModelProvider;
  /** Those up to `runs` are registered with the state store. */
  readonly storedEvents: StoredEvents;
  readonly recorder: RunRecorder;
  readonly agent: ReActAgent;
  readonly agentRunner: AgentRunner;
  readonly runs: RunService;
  readonly toolMetrics: ToolMetrics;
  readonly snippetStore: SnippetStore;
  readonly snippetTools: SnippetTools;
  /** What the agent may learn to do. */
  readonly skills: readonly Skill[];
  /** Takes secrets out of logs, traces and events. */
  readonly redactor: Redactor;
  /** Registered where telemetry goes somewhere. */
  readonly telemetryProviders: TelemetryProviders;
  readonly telemetry: Telemetry;
  readonly hooks: HookManager;
  readonly toolbox: Toolbox;
  readonly invoker: ToolInvoker;
  readonly runChain: ChainRunner;
  readonly toolReport: ToolReport;
  readonly httpApp: Hono;
}

/** One token per service. */
export type Tokens = { readonly [Name in keyof Services]: InjectionToken<Services[Name]> };

/** The keys of the container. */
export const tokens: Tokens = {
  config: token('config'),
  clock: token('clock'),
  logger: token('logger'),
  digestKey: token('digestKey'),
  hostPaths: token('hostPaths'),
  lifetime: token('lifetime'),
  blobStore: token('blobStore'),
  approvalHandler: token('approvalHandler'),
  sandbox: token('sandbox'),
  preflight: token('preflight'),
  stateStore: token('stateStore'),
  approvalFeed: token('approvalFeed'),
  durableChains: token('durableChains'),
  access: token('access'),
  callerApprovals: token('callerApprovals'),
  model: token('model'),
  storedEvents: token('storedEvents'),
  recorder: token('recorder'),
  agent: token('agent'),
  agentRunner: token('agentRunner'),
  runs: token('runs'),
  toolMetrics: token('toolMetrics'),
  snippetStore: token('snippetStore'),
  snippetTools: token('snippetTools'),
  skills: token('skills'),
  redactor: token('redactor'),
  telemetryProviders: token('telemetryProviders'),
  telemetry: token('telemetry'),
  hooks: token('hooks'),
  toolbox: token('toolbox'),
  invoker: token('invoker'),
  runChain: token('runChain'),
  toolReport: token('toolReport'),
  httpApp: token('httpApp'),
};

// A function, because a constant annotated as InjectionToken<T> narrows to `symbol` and loses T.
function token<Service>(name: string): InjectionToken<Service> {
  return Symbol(name);
}
