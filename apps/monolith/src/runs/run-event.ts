import type { JsonObject } from '@ravi/kernel';

/** What a run tells while it goes on. Deltas are for display; everything else is what has happened. */
export type RunEventType =
  | 'run'
  | 'step'
  | 'model-delta'
  | 'reasoning-delta'
  | 'tool-call'
  | 'tool-progress'
  | 'tool-result'
  | 'approval-requested'
  | 'approval-decided'
  | 'console'
  | 'artifact'
  | 'usage'
  | 'run-ended';

/** One event of a run. */
export interface RunEvent {
  /** From 1, without gaps; what a reader names to go on after it. */
  readonly sequence: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly type: RunEventType;
  readonly data: JsonObject;
}
