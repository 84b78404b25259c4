import type { ChainError } from '@ravi/kernel';
import type { DiscoverySession, KnownTools } from '../discovery/visible-tools.ts';
import type { ValueShape } from './value-shape.ts';

/** A script to check, as plain data that can be sent to another process. */
export interface CheckQuestion {
  /** As the model wrote it. */
  readonly source: string;
  /** The tools whose names occur in the source. */
  readonly tools: readonly CheckedTool[];
}

/** A tool as the check sees it. */
export interface CheckedTool {
  readonly name: string;
  /** TypeScript that declares a `tools` with this tool alone. */
  readonly declaration: string;
  /** Requirements of its schema that hold for certain. */
  readonly args: ValueShape;
}

/** A finding of the check. */
export interface Finding {
  /** True if the script fails here in any case. */
  readonly isCertain: boolean;
  /** True if it is about arguments of a tool, which interceptors may change. */
  readonly isAboutArguments?: boolean;
  readonly message: string;
  /** Offset in the source. */
  readonly offset: number;
  readonly suggestion?: string;
  /** Name of a tool that was not in the question. */
  readonly unknownTool?: string;
}

/** Result of a check; `failed` if the checker itself failed. */
export type CheckAnswer =
  | { readonly status: 'checked'; readonly findings: readonly Finding[] }
  | { readonly status: 'failed' };

const maxNameLength = 128;

/** Returns the finding for a tool that does not exist. */
export function unknownToolFinding(name: string, isCertain: boolean, offset: number): Finding {
  const message = `There is no tool named ${JSON.stringify(name.slice(0, maxNameLength))}`;
  return { isCertain, message, offset, unknownTool: name };
}

/** Returns findings in the order of the text; each doubt only once. */
export function inOrder(findings: readonly Finding[]): readonly Finding[] {
  return findings
    .toSorted((left, right) => left.offset - right.offset)
    .filter(
      ({ isCertain, message }, index, all) =>
        isCertain || all.findIndex((other) => other.message === message) === index,
    );
}

/** A script about to run. */
export interface PreflightScript {
  /** As the model wrote it. */
  readonly source: string;
  /** Tools that exist for the caller. */
  readonly registry: KnownTools;
  readonly session: DiscoverySession;
  /** True if interceptors may fix arguments; findings about arguments are then only warnings. */
  readonly argumentsMayChange: boolean;
}

/** Findings of a check in the order of the source. Code: `E_SCRIPT_TYPES`. */
export interface PreflightReport {
  /** Certain errors: a script with one is not run. */
  readonly mistakes: readonly ChainError[];
  readonly warnings: readonly ChainError[];
}
