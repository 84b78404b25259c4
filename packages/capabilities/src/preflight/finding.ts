import type { ChainError, ToolRegistry } from '@ravi/kernel';
import type { DiscoverySession } from '../discovery/visible-tools.ts';
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

const maxNameLength = 128;

/** What is said of a tool that there is not. */
export function unknownToolFinding(name: string, isCertain: boolean, offset: number): Finding {
  const message = `There is no tool named ${JSON.stringify(name.slice(0, maxNameLength))}`;
  return { isCertain, message, offset, unknownTool: name };
}

/** A script about to run. */
export interface PreflightScript {
  /** As the model wrote it. */
  readonly source: string;
  readonly registry: ToolRegistry;
  readonly session: DiscoverySession;
  /** Interceptors may mend what is wrong with arguments: then only warnings are given for them. */
  readonly argumentsMayChange: boolean;
}

/** What a check noticed, in the order of the source. Code: `E_SCRIPT_TYPES`. */
export interface PreflightReport {
  /** Certain to go wrong: a script with one is not run. */
  readonly mistakes: readonly ChainError[];
  readonly warnings: readonly ChainError[];
}
