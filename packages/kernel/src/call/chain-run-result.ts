import type { JsonValue } from '../base/json.ts';
import type { ConsoleLine } from '../sandbox/sandbox.ts';
import type { ContentBlock } from '../tool/content.ts';
import type { ChainCallRecord } from './call-record.ts';
import type { ChainFile } from './invocation-result.ts';

/** Why and where a script failed, in the script's own lines. */
export interface ChainError {
  readonly code: string;
  readonly message: string;
  /** 1-based line in the source as the model wrote it. */
  readonly line?: number;
  /** 1-based column. */
  readonly column?: number;
  /** Up to three lines around the place, the line marked. */
  readonly excerpt?: string;
  readonly suggestion?: string;
}

/** The value of a script before it was cut. */
export interface WholeResult {
  /** Its JSON text. */
  readonly artifactRef: string;
  /** Of that text. */
  readonly bytes: number;
}

/** The outcome of one script. */
export interface ChainRunResult {
  readonly status: 'ok' | 'error' | 'timeout' | 'cancelled' | 'paused';
  /** What the script returned. */
  readonly value?: JsonValue;
  /** Present when `value` is only the beginning of what the script returned. */
  readonly whole?: WholeResult;
  /** What the model reads: the value, or the error report with the calls that ran. */
  readonly outputText: string;
  readonly outputBlocks: readonly ContentBlock[];
  readonly logs: readonly ConsoleLine[];
  /** Number of calls that were attempted. */
  readonly toolCalls: number;
  readonly durationMs: number;
  readonly error?: ChainError;
  /** What the check before the run noticed beside `error`; absent when it noticed nothing or there was none. */
  readonly warnings?: readonly ChainError[];
  /** What the script left in `/workspace/out`, where the sandbox gives it files. */
  readonly files?: readonly ChainFile[];
  readonly callTrace: readonly ChainCallRecord[];
}
