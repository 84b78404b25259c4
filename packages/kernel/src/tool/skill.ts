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
