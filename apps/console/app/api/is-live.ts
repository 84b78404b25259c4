import type { Run } from '@ravi/kernel';

/** Whether a run may still go on. */
export function isLive({ status }: Pick<Run, 'status'>): boolean {
  return status === 'running' || status === 'paused';
}
