import { KernelError } from '../base/errors.ts';
import { isToolRisk } from '../tool/risk.ts';
import type { ToolRisk } from '../tool/risk.ts';

/** Limits of one session. Times in milliseconds, sizes in UTF-8 bytes. */
export interface ChainPolicy {
  /** Maximum number of calls of one agent run or session, without those of its scripts. Every attempt counts, including denied ones. */
  readonly maxToolCalls: number;
  /** Maximum number of calls of one script. Every attempt counts, including denied ones. */
  readonly maxScriptCalls: number;
  /** Time limit of one call, without queueing and without the wait for an approver. */
  readonly callTimeoutMs: number;
  /** Maximum number of repetitions of a call whose error may pass; 0 repeats no call of any tool. */
  readonly maxToolRetries: number;
  /** Time before the first repetition of a call. It doubles with each one, and up to half of it is left out at random. */
  readonly toolRetryDelayMs: number;
  /** Time limit for an approval decision. No other time limit includes this wait. */
  readonly approvalTimeoutMs: number;
  /** Time limit of one script, without the wait for approvers. It lowers a `callTimeoutMs` that is not given with it. */
  readonly totalTimeoutMs: number;
  /** Maximum size of text and structured value in a result for the model. A larger result is stored, and a preview is sent. */
  readonly maxInlineResultBytes: number;
  /** Maximum size of a stored result that a script receives as its value. A larger one becomes an artifact handle. */
  readonly maxScriptResultBytes: number;
  /** Maximum size of the preview of a stored result. It is cut on a character boundary. */
  readonly maxPreviewBytes: number;
  /** Maximum number of concurrent calls of one script. Further calls queue. */
  readonly maxInFlight: number;
  /** Highest risk that runs without approval. `critical` always needs approval. */
  readonly maxRiskUnapproved: 'safe' | 'high';
  /** Risk of a tool that does not declare one. Tools of plugins and other foreign sources count as at least `high`. */
  readonly defaultRisk: ToolRisk;
  /** Maximum size of the arguments of one call. */
  readonly maxArgumentBytes: number;
  /** Maximum size of the text or value that one call returns to a script. */
  readonly maxCallOutputBytes: number;
  /** Maximum console output of one script. The rest is dropped with a notice. */
  readonly maxConsoleBytes: number;
  /** Maximum size of the value that a script returns. */
  readonly maxResultBytes: number;
  /** Maximum size of the source of a script. */
  readonly maxSourceBytes: number;
  /** Maximum number of files that one script keeps. */
  readonly maxScriptFiles: number;
  /** Maximum size of all files that one script keeps together. */
  readonly maxScriptFileBytes: number;
  /** Memory limit of the guest. */
  readonly memoryLimitBytes: number;
  /** Processor time limit of the guest. */
  readonly cpuTimeMs: number;
}

/**
 * Maximum size of one message between a script and its host: 16 MiB. A result that exceeds its own limit is stored whole
 * up to this size.
 */
export const maxBridgeMessageBytes: number = 16_777_216;

/** Default policy of a session. */
export const defaultChainPolicy: ChainPolicy = Object.freeze({
  maxToolCalls: 50,
  maxScriptCalls: 50,
  callTimeoutMs: 60_000,
  maxToolRetries: 2,
  toolRetryDelayMs: 500,
  approvalTimeoutMs: 600_000,
  totalTimeoutMs: 300_000,
  maxInlineResultBytes: 4_096,
  maxScriptResultBytes: 1_048_576,
  maxPreviewBytes: 1_024,
  maxInFlight: 32,
  maxRiskUnapproved: 'safe',
  defaultRisk: 'safe',
  maxArgumentBytes: 4_194_304,
  maxCallOutputBytes: maxBridgeMessageBytes,
  maxConsoleBytes: 65_536,
  maxResultBytes: 1_048_576,
  maxSourceBytes: 262_144,
  maxScriptFiles: 100,
  maxScriptFileBytes: 134_217_728,
  memoryLimitBytes: 134_217_728,
  cpuTimeMs: 30_000,
});

/** Highest number of repetitions that a policy or a tool may ask for. */
export const maxRetriesOfCall: number = 10;

/** Longest delay of a platform timer. A longer one fires at once. */
const maxTimerMs = 2_147_483_647;

/**
 * Returns a complete, frozen policy made of the given fields and the defaults, or another base.
 * @throws KernelError `E_CONFIG_INVALID` for an unknown field, a value that is not a positive whole number, a time above
 * 24.8 days, or a `callTimeoutMs` above `totalTimeoutMs`
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
  // A caller who tightens the script limit alone need not know which limits depend on it.
  if (policy.callTimeoutMs === undefined && policy.totalTimeoutMs !== undefined) {
    merged['callTimeoutMs'] = Math.min(base.callTimeoutMs, policy.totalTimeoutMs);
  }
  const complete = merged as unknown as ChainPolicy;
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
  if (field === 'maxToolRetries') {
    if (isWholeNumber(value, 0) && value <= maxRetriesOfCall) return;
    throw invalid(`policy.${field} must be a whole number from 0 to ${maxRetriesOfCall}, got ${String(value)}`);
  }
  if (!isWholeNumber(value, 1)) {
    throw invalid(`policy.${field} must be a positive whole number, got ${String(value)}`);
  }
  if (field.endsWith('Ms') && value > maxTimerMs) {
    throw invalid(`policy.${field} must be at most ${maxTimerMs} (24.8 days), got ${String(value)}`);
  }
}

function isWholeNumber(value: unknown, min: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= min;
}

function invalid(message: string): KernelError {
  return new KernelError('E_CONFIG_INVALID', message);
}
