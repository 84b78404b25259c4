import type { ContentBlock } from './content.ts';
import { KernelError } from './errors.ts';
import type { JsonValue } from './json.ts';
import { isToolRisk } from './risk.ts';
import type { ToolRisk } from './risk.ts';
import type { ToolCaller } from './tool.ts';

/** The limits of one session. Times in milliseconds, sizes in UTF-8 bytes. */
export interface ChainPolicy {
  /** Calls per session; every attempt counts, denied and unknown ones too. */
  readonly maxToolCalls: number;
  /** One call, execution only: neither queueing nor a human's time. */
  readonly callTimeoutMs: number;
  /** How long a human may take; below `callTimeoutMs`. */
  readonly approvalTimeoutMs: number;
  /** One script, the time of humans excluded. */
  readonly totalTimeoutMs: number;
  /** Text and structured value together, toward the model; a larger result is stored and a preview is sent. */
  readonly maxInlineResultBytes: number;
  /** A stored result up to this size is handed to the script as its value, a larger one as an artifact handle. */
  readonly maxScriptResultBytes: number;
  /** Preview of a stored result, cut on a character boundary. */
  readonly maxPreviewBytes: number;
  /** Calls of one script that run at once; further ones queue. */
  readonly maxInFlight: number;
  /** The highest risk that runs without approval. `critical` is always asked for. */
  readonly maxRiskUnapproved: 'safe' | 'high';
  /** Risk of a local tool that declares none. */
  readonly defaultRisk: ToolRisk;
  /** Arguments of one call. */
  readonly maxArgumentBytes: number;
  /** What one call may bring a script as text or value; what a store took is an artifact handle long before that. */
  readonly maxCallOutputBytes: number;
  /** Console output of one script; the rest is dropped with a notice. */
  readonly maxConsoleBytes: number;
  /** The value a script returns. */
  readonly maxResultBytes: number;
  /** The script itself. */
  readonly maxSourceBytes: number;
  /** The guest's memory. */
  readonly memoryLimitBytes: number;
  /** The guest's processor time. */
  readonly cpuTimeMs: number;
}

/**
 * The largest text that crosses between a script and its host in one piece: 16 MiB. A result beyond its own limit is
 * kept whole up to this size.
 */
export const maxCrossingBytes: number = 16_777_216;

/** The policy of a session that says nothing else. */
export const defaultChainPolicy: ChainPolicy = Object.freeze({
  maxToolCalls: 50,
  callTimeoutMs: 60_000,
  approvalTimeoutMs: 55_000,
  totalTimeoutMs: 300_000,
  maxInlineResultBytes: 4_096,
  maxScriptResultBytes: 1_048_576,
  maxPreviewBytes: 1_024,
  maxInFlight: 32,
  maxRiskUnapproved: 'safe',
  defaultRisk: 'safe',
  maxArgumentBytes: 4_194_304,
  maxCallOutputBytes: maxCrossingBytes,
  maxConsoleBytes: 65_536,
  maxResultBytes: 1_048_576,
  maxSourceBytes: 262_144,
  memoryLimitBytes: 134_217_728,
  cpuTimeMs: 30_000,
});

/** A timer of a platform holds no more and fires at once instead. */
const maxTimerMs = 2_147_483_647;

/**
 * A complete, frozen policy from the given fields and the defaults (or another base).
 * @throws KernelError `E_CONFIG_INVALID` for an unknown field, a value that is no positive whole number, a time
 * above 24.8 days, an approval time-out that is not below the call's, or a call time-out above the total
 */
export function defineChainPolicy(
  policy: Partial<ChainPolicy> = {},
  base: ChainPolicy = defaultChainPolicy,
): ChainPolicy {
  const merged: Record<string, unknown> = { ...base };
  for (const [field, value] of Object.entries(policy)) {
    if (!Object.hasOwn(defaultChainPolicy, field)) throw invalid(`policy.${field} does not exist`);
    if (value !== undefined) merged[field] = value;
  }
  for (const [field, value] of Object.entries(merged)) checkField(field, value);
  const complete = merged as unknown as ChainPolicy;
  if (complete.approvalTimeoutMs >= complete.callTimeoutMs) {
    throw invalid(
      `policy.approvalTimeoutMs (${complete.approvalTimeoutMs}) must be below policy.callTimeoutMs (${complete.callTimeoutMs})`,
    );
  }
  if (complete.callTimeoutMs > complete.totalTimeoutMs) {
    throw invalid(
      `policy.callTimeoutMs (${complete.callTimeoutMs}) must not exceed policy.totalTimeoutMs (${complete.totalTimeoutMs})`,
    );
  }
  return Object.freeze(complete);
}

function checkField(field: string, value: unknown): void {
  if (field === 'maxRiskUnapproved') {
    if (value !== 'safe' && value !== 'high') throw invalid(`policy.${field} must be "safe" or "high"`);
    return;
  }
  if (field === 'defaultRisk') {
    if (!isToolRisk(value)) throw invalid(`policy.${field} must be "safe", "high" or "critical"`);
    return;
  }
  if (!Number.isSafeInteger(value) || (value as number) < 1) {
    throw invalid(`policy.${field} must be a positive whole number, got ${String(value)}`);
  }
  if (field.endsWith('Ms') && (value as number) > maxTimerMs) {
    throw invalid(`policy.${field} must be at most ${maxTimerMs} (24.8 days), got ${String(value)}`);
  }
}

function invalid(message: string): KernelError {
  return new KernelError('E_CONFIG_INVALID', message);
}

/** A media result of a call, readable by the script and by later calls. */
export interface ChainFile {
  /** `/workspace/media/<callId>-<tool>-<n>.<ext>`, unique per call. */
  readonly path: string;
  readonly mediaType: string;
  readonly artifactRef: string;
  readonly bytes: number;
}

/** A failure as a model and a script see it: no secret, host path or stack frame. */
export interface InvocationError {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
}

/** The outcome of one call: the same JSON at the bridge, in the journal and over HTTP. */
export interface InvocationResult {
  readonly status: 'ok' | 'error' | 'denied';
  /** What the model reads; a preview with a note when the result was stored. */
  readonly text: string;
  readonly structured?: JsonValue;
  /** The stored result, when it was too large to stay inline. */
  readonly artifactRef?: string;
  /** The start of the stored result. */
  readonly preview?: string;
  readonly files: readonly ChainFile[];
  /** Present unless `status` is `ok`. */
  readonly error?: InvocationError;
}

/** Trace entry for the approval step of one call. */
export interface ApprovalTrace {
  readonly requestId: string;
  readonly decision: 'approved' | 'denied' | 'skipped' | 'modified' | 'timeout' | 'no-handler' | 'run-scope';
  readonly approver?: string;
  readonly reason?: string;
  /** Milliseconds until the decision. */
  readonly waitedMs: number;
}

/** One call in the trace of a session: exactly one finished record per call, whatever happened. */
export interface ChainCallRecord {
  readonly callId: string;
  readonly tool: string;
  readonly caller: ToolCaller;
  /** Keyed digest of the canonical arguments that were executed, `hmac-sha256:<hex>`; refs count as their content. */
  readonly argsDigest: string;
  /** Redacted and bounded, for people. */
  readonly argsPreview: string;
  readonly status: 'started' | 'ok' | 'error' | 'denied' | 'timeout' | 'cancelled' | 'unknown';
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly errorCode?: string;
  readonly approval?: ApprovalTrace;
  readonly artifactRef?: string;
  /** Size of the result in bytes. */
  readonly bytes?: number;
  /** The tool answered after its time-out or cancellation; the answer was dropped. */
  readonly late?: boolean;
}

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

/** A line that the script wrote to its console. */
export interface ConsoleLine {
  readonly level: 'log' | 'info' | 'warn' | 'error' | 'debug';
  readonly text: string;
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
