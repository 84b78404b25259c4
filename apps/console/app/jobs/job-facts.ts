import type { Job, JsonValue } from '@ravi/kernel';

/** Whether a job may still change. */
export function isLiveJob({ status }: Pick<Job, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

/** How much is done, 0 to 1, when the job says so. */
export function fractionOf({ status, progress }: Pick<Job, 'status' | 'progress'>): number | undefined {
  if (status === 'completed') return 1;
  const fraction = typeof progress === 'number' ? progress : fieldOf(progress, 'fraction');
  return typeof fraction === 'number' ? Math.min(1, Math.max(0, fraction)) : undefined;
}

/** When a job runs again, in the words of its input; `undefined` when it runs once. */
export function scheduleOf({ input }: Pick<Job, 'input'>): string | undefined {
  const schedule = fieldOf(input, 'schedule');
  return typeof schedule === 'string' ? schedule : undefined;
}

function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return (value as Readonly<Record<string, JsonValue>>)[name];
}
