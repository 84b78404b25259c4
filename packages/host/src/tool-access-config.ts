import type { ToolPatterns } from './agent-config.ts';

/** Rules about the tools that callers may use, over those of agents and requests. */
export interface ToolAccessConfig {
  /** Patterns of tools that no caller may use. */
  readonly disabled?: readonly string[];
  /** Tools of the callers whose access token names the role as its `toolRole`. */
  readonly roles?: Readonly<Record<string, ToolPatterns>>;
}
