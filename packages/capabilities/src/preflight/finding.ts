import type { ValueShape } from './value-shape.ts';

/** A script to check, as plain data that crosses processes. */
export interface CheckQuestion {
  /** As the model wrote it. */
  readonly source: string;
  /** The tools whose names occur in the source. */
  readonly tools: readonly CheckedTool[];
}

/** What a check knows of a tool. */
export interface CheckedTool {
  readonly name: string;
  /** TypeScript that declares a `tools` with this tool alone. */
  readonly declaration: string;
  /** What its schema demands of arguments for certain. */
  readonly args: ValueShape;
}

/** Something that a check noticed. */
export interface Finding {
  /** It cannot go well, whatever happens while the script runs. */
  readonly isCertain: boolean;
  /** It is about what a tool is given, which interceptors may change. */
  readonly isAboutArguments?: boolean;
  readonly message: string;
  /** Offset in the source. */
  readonly offset: number;
  readonly suggestion?: string;
  /** The name of a tool that was not among those of the question. */
  readonly unknownTool?: string;
}

/** What a check came to; `failed` when the checker itself gave up. */
export type CheckAnswer =
  | { readonly status: 'checked'; readonly findings: readonly Finding[] }
  | { readonly status: 'failed' };
