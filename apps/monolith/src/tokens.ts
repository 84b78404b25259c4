import type { HookManager, Toolbox, ToolInvoker } from '@ravi/invoker';
import type { SharedBudgets } from '@ravi/agents';
import type { Preflight } from '@ravi/capabilities';
import type { ResolvedConfig } from '@ravi/host';
import type {
  ApprovalFeed,
  ApprovalHandler,
  BlobStore,
  Clock,
  Logger,
  ModelProvider,
  RunEngine,
  Sandbox,
  SnippetStore,
  CompleteStateStore,
} from '@ravi/kernel';
import type { McpEndpoint } from '@ravi/mcp-server';
import type { Telemetry } from '@ravi/otel';
import type { Hono } from 'hono';
import type { InjectionToken } from 'tsyringe';
import type { Access } from './http/access/access.ts';
import type { AccessToken } from './http/access/access-tokens.ts';
import type { DecisionRules } from '@ravi/approval-kit';
import type { CallerApprovals } from './http/approvals/approval-operations.ts';
import type { Endpoint } from './http/core/implement.ts';
import type { ScriptRunner } from './http/scripts/chains.ts';
import type { ArtifactDamage } from './http/blobs/artifact-damage.ts';
import type { ArtifactQuota } from './http/blobs/artifact-quota.ts';
import type { EventSources } from './http/events/event-stream.ts';
import type { RelayTickets } from './http/events/relay-ticket.ts';
import type { StreamPlaces } from './http/events/stream-places.ts';
import type { OpenConsole } from './http/server/console.ts';
import type { HealthCheck } from './http/server/health.ts';
import type { Extensions } from './extensions.ts';
import type { Redactor } from './logging/redactor.ts';
import type { TelemetryProviders } from './observability/open-exporters.ts';
import type { ChainRunner } from './runs/chain-runner.ts';
import type { DurableServices } from './runs/durable-services.ts';
import type { LiveConfig } from './reload/live-config.ts';
import type { Reload } from './reload/reload.ts';
import type { GuideSet } from './reload/guide-set.ts';
import type { SkillSet } from './reload/skill-set.ts';
import type { WorkspaceSet } from './workspaces/workspace-set.ts';
import type { ToolSources } from './sources/tool-sources.ts';
import type { SnippetTools } from './tools/snippet-tools.ts';
import type { ToolAccess } from './access/tool-access.ts';
import type { TriggerServices } from './triggers/trigger-services.ts';
import type { ToolMetrics } from './tools/tool-metrics.ts';

/** Everything that is known before an adapter opens. */
export interface Configuration {
  /** The current values: a reload changes some of its keys. */
  readonly config: ResolvedConfig;
  readonly liveConfig: LiveConfig;
  /** Reads the configuration again. @throws KernelError `E_CONFIG_INVALID` */
  readonly readAgain: () => Promise<ResolvedConfig>;
  /** Folder from which paths of the configuration start. */
  readonly baseDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Removes secrets from logs, traces and events. */
  readonly redactor: Redactor;
  /** Folders that no message to a model, script or client may name. */
  readonly hostPaths: readonly string[];
  /** Access tokens of callers; none if every process on this machine is the caller `local`. */
  readonly accessTokens: readonly AccessToken[];
  /** Aborts when the process shuts down; every session listens to it. */
  readonly lifetime: AbortSignal;
  /** Version of this program. */
  readonly version: string;
}

/** Adapters of the process, opened before the container is created. */
export interface Adapters {
  readonly stateStore: CompleteStateStore | undefined;
  /** Wakes the runs of the state store; `undefined` without one. */
  readonly runEngine: RunEngine | undefined;
  /** Key of argument digests, 32 bytes, the same in all processes that share the state store. */
  readonly digestKey: Uint8Array;
  readonly blobStore: BlobStore;
  readonly sandbox: Sandbox;
  /** `undefined` if callers decide over HTTP. */
  readonly approvalHandler: ApprovalHandler | undefined;
  /** Model of agents that name none: the only one, or one that fails over. */
  readonly model: ModelProvider;
  /** Every configured model. */
  readonly models: readonly ModelProvider[];
  readonly workspaces: WorkspaceSet;
  readonly skills: SkillSet;
  readonly guides: GuideSet;
  /** Functions of plugins around calls and runs. */
  readonly extensions: Extensions;
  readonly snippetStore: SnippetStore;
  /** Checks scripts before they run; `false` if the configuration turns it off. */
  readonly preflight: Preflight | false;
  /** `undefined` if telemetry is not exported. */
  readonly telemetryProviders: TelemetryProviders | undefined;
}

/** Services built from configuration and adapters. */
export interface Services {
  /** Recognises callers by access token or sign-in. */
  readonly access: Access;
  readonly hooks: HookManager;
  /** `undefined` without `telemetryProviders`. */
  readonly telemetry: Telemetry | undefined;
  readonly toolbox: Toolbox;
  /** Tools that each caller may use. */
  readonly toolAccess: ToolAccess;
  /** Sources that fill the toolbox and change it. */
  readonly toolSources: ToolSources;
  /** Reads files again that have changed. */
  readonly reload: Reload;
  readonly toolMetrics: ToolMetrics;
  /** Notifies of changes of approvals; `undefined` without a state store. */
  readonly approvalFeed: ApprovalFeed | undefined;
  /** Rules for decisions over HTTP. */
  readonly decisionRules: DecisionRules;
  /** `undefined` if an approval handler is configured. */
  readonly callerApprovals: CallerApprovals | undefined;
  /** Handler that the invoker asks; with a state store it stores each request first. */
  readonly approvals: ApprovalHandler;
  /** Artifacts that reads found damaged. */
  readonly artifactDamage: ArtifactDamage;
  /** Limit of the artifacts of single tool calls. */
  readonly artifactQuota: ArtifactQuota;
  /** Budgets of a day; `undefined` if the configuration limits none. */
  readonly sharedBudgets: SharedBudgets | undefined;
  readonly invoker: ToolInvoker;
  readonly runChain: ChainRunner;
  readonly snippetTools: SnippetTools;
  /** `undefined` without a state store. */
  readonly durable: DurableServices | undefined;
  /** `undefined` without a state store. */
  readonly triggers: TriggerServices | undefined;
  /** Runs a script of a request. */
  readonly runScript: ScriptRunner;
  readonly checkHealth: HealthCheck;
  readonly openConsole: OpenConsole;
  /** Address of the configuration, else the one on which this process listens first; absent while it does not listen. */
  readonly publicAddress: { url?: string };
  /** Event streams of runs that are open, per principal. */
  readonly streamPlaces: StreamPlaces;
  /** Sources of the events of runs; `undefined` without a state store. */
  readonly eventSources: EventSources | undefined;
  /** Tickets with which the servers of the installation read events from each other. */
  readonly relayTickets: RelayTickets;
  /** Clients of the Model Context Protocol. */
  readonly mcpEndpoint: McpEndpoint;
}

/** The HTTP interface. */
export interface Routes {
  readonly endpoints: readonly Endpoint[];
  readonly httpApp: Hono;
}

/** All parts of a process, by the names of their tokens. */
export type Parts = Configuration & Adapters & Services & Routes;

/** One token per part. */
export type Tokens = { readonly [Name in keyof Parts]: InjectionToken<Parts[Name]> };

/** Keys of the container. */
export const tokens: Tokens = {
  config: token('config'),
  liveConfig: token('liveConfig'),
  readAgain: token('readAgain'),
  baseDir: token('baseDir'),
  clock: token('clock'),
  logger: token('logger'),
  redactor: token('redactor'),
  digestKey: token('digestKey'),
  hostPaths: token('hostPaths'),
  accessTokens: token('accessTokens'),
  access: token('access'),
  lifetime: token('lifetime'),
  version: token('version'),
  stateStore: token('stateStore'),
  runEngine: token('runEngine'),
  blobStore: token('blobStore'),
  sandbox: token('sandbox'),
  approvalHandler: token('approvalHandler'),
  model: token('model'),
  models: token('models'),
  workspaces: token('workspaces'),
  skills: token('skills'),
  guides: token('guides'),
  extensions: token('extensions'),
  snippetStore: token('snippetStore'),
  preflight: token('preflight'),
  telemetryProviders: token('telemetryProviders'),
  hooks: token('hooks'),
  telemetry: token('telemetry'),
  toolbox: token('toolbox'),
  toolAccess: token('toolAccess'),
  toolSources: token('toolSources'),
  reload: token('reload'),
  toolMetrics: token('toolMetrics'),
  approvalFeed: token('approvalFeed'),
  callerApprovals: token('callerApprovals'),
  approvals: token('approvals'),
  decisionRules: token('decisionRules'),
  artifactDamage: token('artifactDamage'),
  artifactQuota: token('artifactQuota'),
  sharedBudgets: token('sharedBudgets'),
  invoker: token('invoker'),
  runChain: token('runChain'),
  snippetTools: token('snippetTools'),
  durable: token('durable'),
  triggers: token('triggers'),
  runScript: token('runScript'),
  checkHealth: token('checkHealth'),
  openConsole: token('openConsole'),
  publicAddress: token('publicAddress'),
  streamPlaces: token('streamPlaces'),
  eventSources: token('eventSources'),
  relayTickets: token('relayTickets'),
  mcpEndpoint: token('mcpEndpoint'),
  endpoints: token('endpoints'),
  httpApp: token('httpApp'),
};

// A function, because a constant annotated as InjectionToken<T> narrows to `symbol` and loses T.
function token<Part>(name: string): InjectionToken<Part> {
  return Symbol(name);
}
