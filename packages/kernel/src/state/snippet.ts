import type { JsonSchema } from '../base/json.ts';
import type { Principal } from '../base/run-context.ts';
import type { SandboxLanguage } from '../sandbox/sandbox.ts';

/** A tool that a snippet may call, and how the tool was defined when the snippet was saved. */
export interface SnippetTool {
  readonly name: string;
  /** SHA-256 of name, description and schemas in canonical JSON, lower-case hexadecimal. */
  readonly digest: string;
}

/** A script that ran well and was saved under a name. A version never changes. */
export interface Snippet {
  /** Matches `toolNamePattern`. */
  readonly name: string;
  /** From 1, without gaps. */
  readonly version: number;
  /** Who saved it; nobody else may run it. */
  readonly principal: Principal;
  readonly description: string;
  readonly code: string;
  readonly language: SandboxLanguage;
  /** Of the arguments, which the script finds in `input`; absent when it takes none. */
  readonly inputSchema?: JsonSchema;
  /** The only tools that it may call. */
  readonly tools: readonly SnippetTool[];
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** The run in which it went well. */
  readonly sourceRunId: string;
}

/** A snippet by name, with its newest version. */
export interface SnippetEntry {
  readonly name: string;
  readonly version: number;
}

/**
 * Keeps snippets, each principal's apart from every other's. Every method may reject with `E_SNIPPET_UNAVAILABLE` when
 * the medium fails.
 */
export interface SnippetStore {
  /** The principal's snippets in the order of their names. */
  list(principal: Principal): Promise<readonly SnippetEntry[]>;
  /** The newest version when none is given; `undefined` when there is no such snippet. @throws KernelError `E_SNIPPET_CORRUPT` */
  get(principal: Principal, name: string, version?: number): Promise<Snippet | undefined>;
  /** Every version of a snippet, oldest first; empty when there is none. */
  versions(principal: Principal, name: string): Promise<readonly number[]>;
  /**
   * Keeps a copy as the next version and gives it back; it is kept for good when the promise resolves. Of two at once
   * each becomes a version.
   * @throws KernelError `E_SNIPPET_INVALID`
   */
  put(snippet: Omit<Snippet, 'version'>): Promise<Snippet>;
  /** Removes every version; `false` when there is no such snippet. What is put under the name later is version 1 again. */
  delete(principal: Principal, name: string): Promise<boolean>;
}
