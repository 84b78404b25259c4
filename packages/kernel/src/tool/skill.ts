/** A prompt package: instructions that join the system prompt while it is active, and the tools it narrows an agent to. */
export interface Skill {
  readonly name: string;
  readonly instructions: string;
  readonly description: string;
  /** Tool names; enforced by the invoker as an intersection. Absent means no restriction. */
  readonly allowedTools?: readonly string[];
  /** Where it was loaded from. */
  readonly path?: string;
  /** Semantic version, `1.0.0`. */
  readonly version: string;
}
