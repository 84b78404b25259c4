/** Instructions that are added to the system prompt while the skill is active, and the tools that it restricts an agent to. */
export interface Skill {
  readonly name: string;
  readonly instructions: string;
  readonly description: string;
  /** Tool names. The invoker allows the intersection over all active skills. Absent means no restriction. */
  readonly allowedTools?: readonly string[];
  /** Path of the file that it was loaded from. */
  readonly path?: string;
  /** Semantic version, `1.0.0`. */
  readonly version: string;
}

/** Tools of which a kit needs at least one. */
export interface KitNeed {
  /** Names and patterns, such as `git.*` or `mcp:github/*`. Each tool that matches one of them fulfils the need. */
  readonly any: readonly string[];
  /** Purpose for which the steps of the kit need them. */
  readonly purpose?: string;
  /** Line of its file, from 1. */
  readonly line?: number;
}

/** Steps of a kind of work over several tools. They are part of the system prompt while every need has a tool that may be called. */
export interface Kit {
  readonly name: string;
  /** Result of the steps. */
  readonly goal: string;
  readonly whenToUse?: readonly string[];
  readonly needs: readonly KitNeed[];
  readonly steps: readonly string[];
  readonly tips?: readonly string[];
  /** Path of the file that it was loaded from. */
  readonly path?: string;
  /** Line of its name in that file, from 1. */
  readonly line?: number;
  /** Semantic version, `1.0.0`. */
  readonly version: string;
}

/** A call, or a situation, that shows how to use a tool. */
export interface ToolExample {
  readonly text: string;
  /** Arguments of the call as JSON text. */
  readonly args?: string;
  /** Line of its file, from 1. */
  readonly line?: number;
}

/** Advice about one tool, for a model that may call it. */
export interface ToolSkill {
  /** Name of the tool, or a pattern such as `mcp:github/*`. */
  readonly tool: string;
  readonly whenToUse?: readonly string[];
  readonly whenNotToUse?: readonly string[];
  readonly examples?: readonly ToolExample[];
  readonly tips?: readonly string[];
  /** Path of the file that it was loaded from. */
  readonly path?: string;
  /** Line of `tool` in that file, from 1. */
  readonly line?: number;
  /** Semantic version, `1.0.0`. */
  readonly version: string;
}
