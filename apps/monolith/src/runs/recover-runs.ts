import type { RunRecovery } from '@ravi/capabilities';
import { partsOf } from '../container.ts';
import type { Monolith } from '../lifespan.ts';
import { startRecovery } from './start-recovery.ts';

/**
 * Resumes runs in the background, as a server does: for a process that stays open without listening. Call `stop` before the process is
 * disposed. Returns `undefined` without a state store.
 */
export function recoverRuns({ container }: Monolith): RunRecovery | undefined {
  return startRecovery(partsOf(container));
}
