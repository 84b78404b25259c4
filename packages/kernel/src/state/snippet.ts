import type { JsonSchema } from '../base/json.ts';
import type { Principal } from '../base/run-context.ts';
import type { SandboxLanguage } from '../sandbox/sandbox.ts';

/** Tool that a snippet may call, as defined when the snippet was saved. */
export interface SnippetTool {
  readonly name: string;
  /** SHA-256 of name, description and schemas in canonical JSON, lower-case hexadecimal. */
  readonly digest: string;
}

/** Script that ran successfully and was saved under a name. A version never changes. */
export interface Snippet {
  /** Matches `toolNamePattern`. */
  readonly name: string;
  /** Starts at 1, without gaps. */
  readonly version: number;
  /** Principal that saved it, the only one that may run it. */
  readonly principal: Principal;
  readonly description: string;
  readonly code: string;
  readonly language: SandboxLanguage;
  /** Schema of the arguments, which the script reads from `input`. Absent if it takes none. */
  readonly inputSchema?: JsonSchema;
  /** The only tools that the script may call. */
  readonly tools: readonly SnippetTool[];
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Run in which it succeeded. */
  readonly sourceRunId: string;
}

/** Name and newest version of a snippet. */
export interface SnippetEntry {
  readonly name: string;
  readonly version: number;
}

/**
 * Stores snippets, separately for each principal. Every method may reject with `E_SNIPPET_UNAVAILABLE` when the storage
 * fails.
 */
export interface SnippetStore {
  /** Returns the principal's snippets, sorted by name. */
  list(principal: Principal): Promise<readonly SnippetEntry[]>;
  /** Returns a version, by default the newest; `undefined` if it does not exist. @throws KernelError `E_SNIPPET_CORRUPT` */
  get(principal: Principal, name: string, version?: number): Promise<Snippet | undefined>;
  /** Returns the versions of a snippet, oldest first; empty if it does not exist. */
  versions(principal: Principal, name: string): Promise<readonly number[]>;
  /**
   * Stores a copy as the next version and returns it. It is durable when the promise resolves. Concurrent calls each create
   * a version.
   * @throws KernelError `E_SNIPPET_INVALID`
   */
  put(snippet: Omit<Snippet, 'version'>): Promise<Snippet>;
  /** Removes every version; `false` if the snippet does not exist. A later `put` under the name starts at version 1. */
  delete(principal: Principal, name: string): Promise<boolean>;
}
