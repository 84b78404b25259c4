import { KernelError } from '@ravi/kernel';
import type { EngineSupport, RunWake } from '@ravi/kernel';

/** Wake whose fields are within their bounds. */
export interface CheckedWake extends RunWake {
  readonly priority: number;
  /** Milliseconds until `notBefore`; 0 if it is due. */
  readonly delayMs: number;
}

const maxWakes = 1_000;
const maxPriority = 100;
const maxNameLength = 200;
const controlCharacter = /\p{Cc}/u;

/**
 * Checks the wakes of one call and merges those of one run.
 * @throws KernelError `E_ARGUMENTS_INVALID` that names the field and its limit, `E_UNSUPPORTED` for a delay beyond `maxDelayMs`
 */
export function checkWakes(
  wakes: readonly RunWake[],
  now: number,
  { maxDelayMs }: Pick<EngineSupport, 'maxDelayMs'>,
): readonly CheckedWake[] {
  if (wakes.length > maxWakes) throw invalid(`One call has at most ${maxWakes} wakes, got ${wakes.length}`);
  const merged = new Map<string, RunWake>();
  for (const wake of wakes) {
    checkWake(wake);
    const other = merged.get(wake.runId);
    merged.set(wake.runId, other === undefined ? wake : mergeWakes(other, wake));
  }
  return [...merged.values()].map((wake) => ({
    ...wake,
    priority: wake.priority ?? 0,
    delayMs: delayOf(wake, now, maxDelayMs),
  }));
}

/**
 * Returns one wake for two of the same run: with the earliest time, the highest priority, and the reason and group of the one that is
 * due first.
 */
export function mergeWakes(one: RunWake, other: RunWake): RunWake {
  const [first, second] = (other.notBefore ?? 0) < (one.notBefore ?? 0) ? [other, one] : [one, other];
  const { notBefore, priority: _priority, ...wake } = first;
  return {
    ...wake,
    priority: Math.max(first.priority ?? 0, second.priority ?? 0),
    ...(notBefore === undefined ? {} : { notBefore }),
  };
}

/** Checks a name or id. @throws KernelError `E_ARGUMENTS_INVALID` that names the field */
export function checkName(field: string, value: unknown): void {
  if (typeof value !== 'string') throw invalid(`${field} must be a text, got ${typeof value}`);
  if (value === '') throw invalid(`${field} is empty`);
  if (value.length > maxNameLength) {
    throw invalid(`${field} has ${value.length} characters; the maximum is ${maxNameLength}`);
  }
  if (controlCharacter.test(value) || !value.isWellFormed()) {
    throw invalid(`${field} has a control character or half of a surrogate pair: ${JSON.stringify(value)}`);
  }
}

/** Checks a number. @throws KernelError `E_ARGUMENTS_INVALID` that names the field and its limits */
export function checkInteger(field: string, value: unknown, least: number, most: number): void {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return;
  throw invalid(`${field} must be an integer from ${least} to ${most}, got ${String(value)}`);
}

function checkWake({ runId, group, version, priority, notBefore }: RunWake): void {
  checkName('runId', runId);
  checkName('group', group);
  checkName('version', version);
  if (priority !== undefined) checkInteger('priority', priority, -maxPriority, maxPriority);
  if (notBefore !== undefined) checkInteger('notBefore', notBefore, 0, Number.MAX_SAFE_INTEGER);
}

function delayOf({ notBefore = 0 }: RunWake, now: number, maxDelayMs: number): number {
  const delayMs = Math.max(0, notBefore - now);
  if (delayMs <= maxDelayMs) return delayMs;
  throw new KernelError(
    'E_UNSUPPORTED',
    `notBefore is ${delayMs} ms ahead; this engine waits at most ${maxDelayMs} ms`,
  );
}

function invalid(message: string): KernelError {
  return new KernelError('E_ARGUMENTS_INVALID', message);
}
