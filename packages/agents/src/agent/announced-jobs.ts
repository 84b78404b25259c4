import { KernelError } from '@ravi/kernel';
import type { JsonObject, JsonValue } from '@ravi/kernel';

/** Job that the model of a run knows by its id. */
export interface AnnouncedJob {
  readonly id: string;
  readonly callId: string;
  readonly tool: string;
}

/**
 * Returns the jobs of a run for the details of its next message: those whose results the model has not received once it has
 * read the message. A process that continues the run continues them.
 */
export function jobDetails(announced: readonly AnnouncedJob[]): JsonObject {
  return { jobs: announced.map((job) => ({ ...job })) };
}

/** Reads the jobs from the details of a message; `undefined` if it has none. @throws KernelError `E_STATE_CORRUPT` */
export function readAnnouncedJobs({ jobs }: JsonObject): readonly AnnouncedJob[] | undefined {
  if (jobs === undefined) return undefined;
  if (Array.isArray(jobs) && jobs.every(isAnnounced)) return jobs;
  throw new KernelError('E_STATE_CORRUPT', 'The stored jobs of the run are corrupt');
}

function isAnnounced(value: JsonValue): boolean {
  const { id, callId, tool } = (value ?? {}) as Partial<Record<keyof AnnouncedJob, unknown>>;
  return typeof id === 'string' && typeof callId === 'string' && typeof tool === 'string';
}
