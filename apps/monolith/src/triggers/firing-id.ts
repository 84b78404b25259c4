import { createHash } from 'node:crypto';
import type { FiringPlace, JsonValue } from '@ravi/kernel';

/** Returns the SHA-256 of a JSON value in hex. */
export function sha256Of(value: JsonValue): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/**
 * Returns the id of the run that a firing starts. It depends on nothing else, so that every process which starts the run of a firing
 * starts the same one.
 */
export function runIdOfFiring({ triggerId, slot }: FiringPlace): string {
  return `run_t${sha256Of([triggerId, slot]).slice(0, 32)}`;
}

/** True for the id of a run that a firing started. */
export function isRunOfFiring(runId: string): boolean {
  return /^run_t[0-9a-f]{32}$/.test(runId);
}
