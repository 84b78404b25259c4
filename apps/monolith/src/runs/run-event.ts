import type { JsonObject } from '@ravi/kernel';

/** Type of a run event. Deltas are for display; all others are facts. */
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

/** An event of a run. */
export interface RunEvent {
  /** Number from 1, without gaps. A reader resumes after it. */
  readonly sequence: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly type: RunEventType;
  readonly data: JsonObject;
}
