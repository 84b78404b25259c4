import type {
  BlobStat,
  ChainCallRecord,
  ChainError,
  ChainPolicy,
  ConsoleLine,
  ContentBlock,
  JsonSchema,
  ModelEvent,
  ModelRequest,
  ModelUsage,
  Run,
  SandboxLanguage,
  ToolRisk,
} from '@ravi/kernel';

/** A part of a list as the API answers it. */
export interface ListAnswer<Item> {
  readonly items: readonly Item[];
  /** Give it as `cursor` for what follows. */
  readonly next?: string;
}

/** One call; inside of a script it names the call that ran the script, where the server knows it. */
export interface CallView extends ChainCallRecord {
  readonly parentId?: string;
}

/** One answer of the model within a run. */
export interface StepView {
  /** From 1. */
  readonly step: number;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Absent while the model still writes. */
  readonly durationMs?: number;
  readonly model?: string;
  readonly usage?: ModelUsage;
  readonly text?: string;
}

/** What an agent wants to know before it goes on. */
export interface QuestionView {
  /** The call that asks. */
  readonly callId: string;
  readonly question: string;
  /** Suggestions; another answer may be given all the same. */
  readonly choices?: readonly string[];
}

/** A run with everything that the page of one run shows. */
export interface RunView extends Run {
  readonly trace?: readonly CallView[];
  /** How many answers of the model there were. */
  readonly steps?: number;
  /** What the agent was asked. */
  readonly task?: string;
  readonly usage?: ModelUsage;
  /** In US dollars, when the model has a price. */
  readonly cost?: number;
  /** Input tokens that the same work takes when each result of a tool goes through the conversation. */
  readonly plainConversationTokens?: number;
  readonly error?: ChainError;
  readonly script?: string;
  readonly logs?: readonly ConsoleLine[];
  readonly artifacts?: readonly BlobStat[];
  /** Present while the agent waits for answers. */
  readonly questions?: readonly QuestionView[];
}

/** What a model was sent and what it answered. */
export interface Exchange {
  readonly step: number;
  readonly request: ModelRequest;
  readonly answer: {
    readonly blocks: readonly ContentBlock[];
    readonly end?: Extract<ModelEvent, { readonly type: 'finish' | 'error' }>;
  };
}

/** What is known of the calls of one tool. */
export interface ToolMetrics {
  readonly calls: number;
  /** Milliseconds; 0 before the first call. */
  readonly p50: number;
  /** Milliseconds; 0 before the first call. */
  readonly p95: number;
  readonly errors: number;
  readonly denials: number;
}

/** A tool in the catalogue. */
export interface ToolView {
  readonly name: string;
  readonly description: string;
  readonly kind?: 'local' | 'hosted' | 'provider-defined';
  readonly risk?: ToolRisk;
  readonly source?: string;
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** The declaration that a model reads. */
  readonly stub?: string;
  /** Of one tool, not in lists. */
  readonly metrics?: ToolMetrics;
}

/** How an adapter does. */
export interface HealthView {
  readonly status: 'ok' | 'unavailable';
  /** Milliseconds that its answer took. */
  readonly durationMs: number;
}

/** What stands behind one port. */
export interface PluginView {
  readonly port: string;
  readonly package: string;
}

/** What the server is made of. */
export interface SettingsView {
  readonly plugins: readonly PluginView[];
  /** By port, of the adapters that can be asked. */
  readonly health: Readonly<Record<string, HealthView>>;
  readonly policy?: ChainPolicy;
  readonly versions: Readonly<Record<string, string>>;
  /** `isDemo`: a script plays the model. */
  readonly model?: { readonly id: string; readonly isDemo: boolean };
}

/** A bound and what of it is used, by one run or by everything that somebody ran today. */
export interface BudgetView {
  readonly name: string;
  readonly scope: 'principal' | 'run';
  readonly principal: string;
  readonly runId?: string;
  readonly unit: 'tokens' | 'cost' | 'calls' | 'milliseconds';
  readonly limit?: number;
  readonly used: number;
}

/** A saved script in a list. */
export interface SnippetView {
  readonly name: string;
  readonly version: number;
  readonly description: string;
  readonly language: SandboxLanguage;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Names of the only tools that it may call. */
  readonly tools: readonly string[];
}

/** What the agent may learn to do. */
export interface SkillView {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly allowedTools?: readonly string[];
}

/** A conversation. */
export interface SessionView {
  readonly sessionId: string;
  readonly runs: number;
  /** Milliseconds since the Unix epoch. */
  readonly lastRunAt: number;
}
