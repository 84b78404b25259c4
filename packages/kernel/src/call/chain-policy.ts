import { KernelError } from '../base/errors.ts';
import { isToolRisk } from '../tool/risk.ts';
import type { ToolRisk } from '../tool/risk.ts';

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
export const maxBridgeMessageBytes: number = 16_777_216;

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
  maxCallOutputBytes: maxBridgeMessageBytes,
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
