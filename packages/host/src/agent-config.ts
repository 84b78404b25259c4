/** Patterns of tools: whole names, names with `*` such as `git.*`, and `mcp:server/*`. */
export interface ToolPatterns {
  /** Absent for all tools. */
  readonly allow?: readonly string[];
  /** Wins over `allow`. */
  readonly deny?: readonly string[];
}

/** An agent that another one may call as a tool. */
export interface DelegateConfig {
  /** Key of `agents`. */
  readonly agent: string;
  /** Name of the tool. Default: the name of the agent. */
  readonly name?: string;
  /** Model calls with a higher priority run first while `supervision` makes them wait. Default: 0. */
  readonly priority?: number;
  /** `background` returns a job at once. Default: `direct`. */
  readonly mode?: 'direct' | 'background';
}

/** An agent that judges calls of another one before they run. */
export interface GuardConfig {
  /** Key of `agents`. */
  readonly agent: string;
  /** Patterns of the tools whose calls it judges. Default: all that are not `safe`. */
  readonly tools?: readonly string[];
}

/** Limits of one run; an absent field has no limit. `maxCost` needs `prices` and is in their currency. */
export interface BudgetConfig {
  readonly maxTokens?: number;
  readonly maxCost?: number;
  readonly maxToolCalls?: number;
  readonly maxTimeMs?: number;
}

/** Lengths of a conversation, in estimated tokens. */
export interface CompactionConfig {
  /** Length of a request, with system prompt and tools, above which its beginning is summarized. Default: 80 % of the context of the model. */
  readonly maxTokens?: number;
  /** Tokens at the end of the conversation that stay unchanged. Default: half of what system prompt and tools leave. */
  readonly keepTokens?: number;
}

/** Settings of one agent. */
export interface AgentEntry {
  /** Description for agents that may delegate work to it, and for people. */
  readonly description?: string;
  /**
   * References to models of `plugins.modelProvider`: the name of a model, the id of a provider, or both as `id/model`. Several
   * fail over in this order. Default: every configured model.
   */
  readonly model?: string | readonly string[];
  /** First part of its system prompt. */
  readonly system?: string;
  /** Tools that it may call. Default: all, without delegates. */
  readonly tools?: ToolPatterns;
  /**
   * Names of the skills that it may use (`offer`, default: all), and of those that are active from the first step and that it cannot
   * deactivate (`impose`).
   */
  readonly skills?: { readonly offer?: readonly string[]; readonly impose?: readonly string[] };
  /** Names of the kits that it sees. Default: all. */
  readonly kits?: readonly string[];
  /** Key of `workspaces`: the folder in which it works, and whose tools and skills it has. */
  readonly workspace?: string;
  /** Agents that it may call as tools, also in scripts. */
  readonly delegates?: readonly (string | DelegateConfig)[];
  /** `true`: it sees tools for privileged agents, such as `group_add_node`, as far as `tools` allows them. Default: `false`. */
  readonly privileged?: boolean;
  /** Agents that judge its calls, in order; each must allow a call. */
  readonly guards?: readonly GuardConfig[];
  /** Replaces `approvals.mode` for its runs. */
  readonly approvals?: { readonly mode?: 'wait' | 'pause' };
  /** Maximum number of model calls per run. Default: 32. */
  readonly maxSteps?: number;
  /** Retries of a model call after a failure that may pass. Default: 4. */
  readonly modelRetries?: number;
  /** Longest wait before such a retry, in milliseconds; a provider that asks for more fails the run. Default: 60 000. */
  readonly maxModelRetryDelayMs?: number;
  /** Milliseconds after which a running call becomes a background job. By default only calls of background tools are jobs. */
  readonly promoteAfterMs?: number;
  /** `false`: it may not ask the user with `ask_user` and `ask_clarification`. Default: `true`. */
  readonly questions?: boolean;
  /** Tokens of the tools that one request declares, estimated from above; the model searches for the others. Default: 3000. */
  readonly maxToolTokens?: number;
  /** Lengths from which the beginning of a conversation is summarized; `false` for never. By default near the context of the model. */
  readonly compaction?: false | CompactionConfig;
  /** Limits of one run. That of a delegate counts in the budget of its caller too. */
  readonly budget?: BudgetConfig;
}

/** Prices of a million tokens of one model. */
export interface ModelPriceConfig {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
}

/** Settings of the built-in agent `ravi`, and of all agents together. */
export interface AgentConfig extends AgentEntry {
  /** Milliseconds that a failed model of `plugins.modelProvider` is asked last. Default: 30 000. */
  readonly modelCooldownMs?: number;
  /** Script that the demo model runs if no provider key is set. */
  readonly demoScript?: string;
  /** `true` offers the tool search of Anthropic's and OpenAI's API to models that have one. */
  readonly hostedToolSearch?: boolean;
  /** Prices of a million tokens by model name, all in one currency. */
  readonly prices?: Readonly<Record<string, ModelPriceConfig>>;
}

/** Limits of the agents that work below an outermost run, and of all models together. */
export interface SupervisionConfig {
  /** Number of delegates that an outermost run and those below it may start. */
  readonly maxAgents: number;
  /** Maximum nesting depth under the outermost run. */
  readonly maxDepth: number;
  /** Models that write at the same time in this process, for all runs. */
  readonly maxConcurrent: number;
}
