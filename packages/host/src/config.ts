import type { ChainPolicy, PortName } from '@ravi/kernel';
import type { AgentConfig, AgentEntry, SupervisionConfig } from './agent-config.ts';
import type { SharedBudgetsConfig } from './budget-config.ts';
import type { ToolAccessConfig } from './tool-access-schema.ts';
import type { TriggerConfig } from './trigger-config.ts';
import type { ResolvedWorkspace, WorkspaceConfig } from './workspace-config.ts';

/** One plugin in a configuration: its package or file, and its options. */
export interface PluginEntry {
  /** A package name, or a path from the configuration's folder that starts with `./` or `../`. Never a URL. */
  readonly use: string;
  readonly [option: string]: unknown;
}

/** Plugins of a configuration, by port. */
export type PluginsConfig = {
  readonly [Port in SinglePort]?: Port extends ComposedPort ? PluginEntry | readonly PluginEntry[] : PluginEntry;
} & {
  readonly [Port in ListPort]?: readonly PluginEntry[];
};

/** An access token and its caller. Exactly one of `token`, `tokenFile` and `tokenSha256` is set. */
export interface AccessTokenConfig {
  /** Environment variable with a secret of at least 32 characters. */
  readonly token?: { readonly $env: string };
  /** File with such a secret. */
  readonly tokenFile?: string;
  /** SHA-256 of such a secret, in hex. */
  readonly tokenSha256?: string;
  readonly principal: string;
  /** Default: `run`. */
  readonly roles?: readonly ('run' | 'approve' | 'admin')[];
  /** Key of `toolAccess.roles`. Without it the principal may call every tool that is not disabled. */
  readonly toolRole?: string;
}

/** An {@link AccessTokenConfig} with its default. */
export type ResolvedAccessToken = AccessTokenConfig & Required<Pick<AccessTokenConfig, 'roles'>>;

/** Settings of the HTTP server. Times are milliseconds. */
export interface ServerConfig {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /**
   * Required for an address that is not loopback. Without tokens every process on this machine is the caller `local` with
   * all roles.
   */
  readonly tokens: readonly ResolvedAccessToken[];
  /** True if the principal that requested a call may not decide its approval. Needs tokens. */
  readonly fourEyes: boolean;
  /** Host names to accept in addition to loopback. */
  readonly allowedHosts: readonly string[];
  /** Address at which people reach this server, for links in requests to them. Default: the one that it listens on. */
  readonly publicUrl?: string;
  /**
   * Address at which the other servers of the same state store reach this one. Default: the one that it listens on, and for all addresses
   * of the machine the first one that is not loopback.
   */
  readonly advertisedAddress?: string;
  /** Build of this server, shown after the version of its package. Default: `RAVI_VERSION`. */
  readonly version?: string;
  /** Addresses and CIDR ranges of proxies whose `X-Forwarded-For`, `X-Forwarded-Proto` and `Forwarded` describe the client. */
  readonly trustedProxies: readonly string[];
  /** Limit of one caller. Default: `defaultRequestsPerMinute` with tokens, unlimited without. */
  readonly requestsPerMinute?: number;
  /** Tool calls, scripts and starts of runs that are processed at once. The last eighth is kept for callers without a request in progress. */
  readonly maxConcurrent: number;
  /** Event streams of runs that one principal may have open. */
  readonly maxEventStreams: number;
  /** Time for a client to send the headers of a request. */
  readonly headersTimeoutMs: number;
  /** Time for a client to send a whole request. */
  readonly requestTimeoutMs: number;
  /** Time for a client to read the next part of a response. */
  readonly unreadTimeoutMs: number;
  /** Time after which an artifact of a single tool call or an upload expires. */
  readonly artifactTtlMs: number;
  /** Bytes of such artifacts that one principal may hold, each counted as at least 4 096; above it further calls are refused. */
  readonly maxArtifactBytes: number;
}

/** Settings of scripts. */
export interface ChainsConfig {
  /** `false` runs scripts without checking them first. */
  readonly preflight: boolean;
}

/** Settings of runs whose calls wait for approval. */
export interface ApprovalsConfig {
  /**
   * `pause`: a run that waits only for approvals is stored, and resumes after the decision. `wait`: it stays in memory for up
   * to `policy.approvalTimeoutMs`. By default runs pause if there is a state store and callers decide; a request that holds
   * its connection until its script has ended (`POST /v1/chains`) waits.
   */
  readonly mode?: 'wait' | 'pause';
  /** Milliseconds that approvers of a run that pauses have for a decision. */
  readonly expiryMs: number;
  /**
   * Policy for a request of an agent run or script that is not decided in time. `deny`: its call is denied with
   * `E_APPROVAL_EXPIRED`. `park`: the request stays open and its run paused until a person decides or cancels the run, for up to `maxParkedDays`; it has no
   * effect with an approval handler that does not store its requests.
   */
  readonly onExpiry: 'deny' | 'park';
  /** Paused runs that one principal may have; above it further starts are refused. */
  readonly maxPausedRuns: number;
  /** Days after which a parked request expires, which denies its call. */
  readonly maxParkedDays: number;
}

/** Settings of runs that other servers can continue. */
export interface RunsConfig {
  /**
   * Milliseconds after which a silent server counts as dead, and another one continues its runs. Each server says that it lives after
   * each third of this time.
   */
  readonly leaseMs: number;
  /**
   * Crashes of servers in a row, without progress of a run between them, that the run survives while no other suspected run is
   * resumed next to it. The next one fails it with `E_RUN_LOST`. A run is suspected after its first two such crashes.
   */
  readonly maxFruitlessCrashes: number;
  /**
   * Inputs of users that a run of an agent may have and not have read. More are refused with 429.
   */
  readonly maxWaitingInputs: number;
  /**
   * Milliseconds for which the start of a run waits for a state store that is unavailable. After that nothing is started, and the
   * request fails with `E_NOT_STARTED`.
   */
  readonly startTimeoutMs: number;
  /** Runs of one principal that may wait for a server to continue them; above it further starts are refused. */
  readonly maxWaitingRuns: number;
  /** Runs that a server continues at once, by their kind, after a pause, a restart or the end of another server. */
  readonly slots: {
    /** Runs of agents, with the scripts and sub-agents inside them. */
    readonly agents: number;
    /** Scripts that are part of no other run. */
    readonly scripts: number;
  };
}

/** Retention of finished runs in the state store. */
export interface RetentionConfig {
  /** Days after which a finished run is removed, with its journal, approvals, jobs and artifacts. */
  readonly maxAgeDays: number;
  /** False if finished runs are kept forever. */
  readonly enabled: boolean;
  /** Milliseconds from the start of the server to the first removal. */
  readonly startDelayMs: number;
}

/** Settings of stored channels. */
export interface ChannelsConfig {
  /** Names of channels that all principals share, with `*` for any characters. */
  readonly shared: readonly string[];
  /** Messages that a channel keeps. */
  readonly keepMessages: number;
  /** Days after which messages are removed; never because of their age when absent. */
  readonly maxAgeDays?: number;
}

/** Settings of a server's log. */
export interface LoggingConfig {
  /** Least important level that is written. */
  readonly level: 'debug' | 'info' | 'warn' | 'error';
}

/** Settings of the OpenTelemetry export. */
export interface TelemetryConfig {
  /** OTLP collector of spans and metrics; nothing is exported without one. */
  readonly endpoint?: string;
  /** True to put arguments and results of calls, redacted and cut, on spans. */
  readonly content: boolean;
}

/** A configuration as written by its author. Relative paths start at the configuration's folder. */
export interface RaviConfig {
  readonly server?: Partial<Omit<ServerConfig, 'tokens'>> & { readonly tokens?: readonly AccessTokenConfig[] };
  readonly policy?: Partial<ChainPolicy>;
  readonly chains?: Partial<ChainsConfig>;
  readonly approvals?: Partial<ApprovalsConfig>;
  readonly runs?: Partial<Omit<RunsConfig, 'slots'>> & { readonly slots?: Partial<RunsConfig['slots']> };
  readonly agent?: AgentConfig;
  /** Further agents by name. Settings of `agent` about models, steps, budget and approvals are their defaults. */
  readonly agents?: Readonly<Record<string, AgentEntry>>;
  /** Agent of runs that name none. Default: `ravi`. */
  readonly defaultAgent?: string;
  readonly supervision?: Partial<SupervisionConfig>;
  readonly budgets?: SharedBudgetsConfig;
  readonly triggers?: Partial<TriggerConfig>;
  readonly toolAccess?: ToolAccessConfig;
  readonly logging?: Partial<LoggingConfig>;
  readonly telemetry?: Partial<TelemetryConfig>;
  readonly retention?: Partial<RetentionConfig>;
  readonly channels?: Partial<ChannelsConfig>;
  /** Folders of files that default-export tools. */
  readonly tools?: readonly string[];
  /** Folders of skills, each `<name>/SKILL.md`. */
  readonly skills?: readonly string[];
  /** Folders of kits, each a YAML file; `ravi:kits` are those that Ravi brings. */
  readonly kits?: readonly string[];
  /** Folders of tool skills, each a YAML file. */
  readonly toolSkills?: readonly string[];
  /** Folders in which agents work, by name, with tools and skills of their own. */
  readonly workspaces?: Readonly<Record<string, WorkspaceConfig>>;
  readonly plugins?: PluginsConfig;
}

/** A configuration that was checked and completed with the defaults of `configSchema`. */
export interface ResolvedConfig {
  readonly server: ServerConfig;
  readonly policy: ChainPolicy;
  readonly chains: ChainsConfig;
  readonly approvals: ApprovalsConfig;
  readonly runs: RunsConfig;
  /** `demoScript` is an absolute path. */
  readonly agent: AgentConfig & Required<Pick<AgentConfig, 'maxSteps'>>;
  readonly agents: Readonly<Record<string, AgentEntry>>;
  readonly defaultAgent: string;
  readonly supervision: SupervisionConfig;
  readonly budgets: SharedBudgetsConfig;
  readonly triggers: TriggerConfig;
  readonly toolAccess: ToolAccessConfig;
  readonly logging: LoggingConfig;
  readonly telemetry: TelemetryConfig;
  readonly retention: RetentionConfig;
  readonly channels: ChannelsConfig;
  /** Absolute paths. */
  readonly tools: readonly string[];
  /** Absolute paths. */
  readonly skills: readonly string[];
  /** Absolute paths, and `ravi:kits`. */
  readonly kits: readonly string[];
  /** Absolute paths. */
  readonly toolSkills: readonly string[];
  /** Their paths are absolute. */
  readonly workspaces: Readonly<Record<string, ResolvedWorkspace>>;
  /** As written: a plugin's schema checks its options when it is opened. */
  readonly plugins: PluginsConfig;
}

/** Entry of `kits` for the kits that Ravi brings. */
export const shippedKits = 'ravi:kits';

/** Returns `config` unchanged; gives a configuration in TypeScript its type. */
export function defineConfig(config: RaviConfig): RaviConfig {
  return config;
}

/** Ports that take a list of plugins. */
export type ListPort = 'toolSource' | 'modelProvider' | ExtensionPort;

/** Ports of functions around calls and runs. */
export type ExtensionPort = 'interceptor' | 'middleware' | 'guardrail' | 'historyView';

/** Ports that take one plugin. */
export type SinglePort = Exclude<PortName, ListPort>;

/** Single ports that several plugins can fill together: the sandbox, with one for each language. */
export type ComposedPort = 'sandbox';

/**
 * Number of plugins of each port; `composed` takes one plugin or a list whose parts become one. Plugins are opened in this order and disposed in reverse, so
 * that state outlives its users.
 */
export const pluginPorts: {
  readonly [Port in PortName]: Port extends ListPort ? 'list' : Port extends ComposedPort ? 'composed' : 'one';
} = {
  stateStore: 'one',
  runEngine: 'one',
  blobStore: 'one',
  approvalHandler: 'one',
  sandbox: 'composed',
  // A source may ask a model.
  modelProvider: 'list',
  toolSource: 'list',
  interceptor: 'list',
  middleware: 'list',
  guardrail: 'list',
  historyView: 'list',
};
