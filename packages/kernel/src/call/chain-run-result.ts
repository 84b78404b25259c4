import type { JsonValue } from '../base/json.ts';
import type { ConsoleLine } from '../sandbox/sandbox.ts';
import type { ContentBlock } from '../tool/content.ts';
import type { ChainCallRecord } from './call-record.ts';
import type { ChainFile } from '../tool/invocation-result.ts';

/** Failure of a script, located in the source that the model wrote. */
export interface ChainError {
  readonly code: string;
  readonly message: string;
  /** 1-based line in the source that the model wrote. */
  readonly line?: number;
  /** 1-based column. */
  readonly column?: number;
  /** Up to three source lines around the failure, with its line marked. */
  readonly excerpt?: string;
  readonly suggestion?: string;
}

/** Complete value of a script whose result was cut. */
export interface WholeResult {
  /** Ref of its JSON text. */
  readonly artifactRef: string;
  /** Size of that text. */
  readonly bytes: number;
}

/** Outcome of one script. */
export interface ChainRunResult {
  readonly status: 'ok' | 'error' | 'timeout' | 'cancelled' | 'paused';
  /** Value that the script returned. */
  readonly value?: JsonValue;
  /** Present when `value` is only the beginning of the returned value. */
  readonly whole?: WholeResult;
  /** Text for the model: the value, or the error report with the calls that ran. */
  readonly outputText: string;
  readonly outputBlocks: readonly ContentBlock[];
  readonly logs: readonly ConsoleLine[];
  /** Number of attempted calls. */
  readonly toolCalls: number;
  readonly durationMs: number;
  readonly error?: ChainError;
  /** Findings of the check before the run, in addition to `error`. Absent when there are none. */
  readonly warnings?: readonly ChainError[];
  /** Files that the script wrote to `/workspace/out`, if the sandbox supports files. */
  readonly files?: readonly ChainFile[];
  readonly callTrace: readonly ChainCallRecord[];
}
