import type { Run } from '@ravi/kernel';

/** Returns true if a run may still continue. */
export function isLive({ status }: Pick<Run, 'status'>): boolean {
  return status === 'running' || status === 'paused';
}
