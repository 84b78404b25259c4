import type { BlobRef, Journal, ToolRisk } from '@ravi/kernel';

/** An approval that was given for the whole run. */
export interface RunGrant {
  readonly tool: string;
  readonly toolDigest: string;
  readonly risk: ToolRisk;
}

/** What makes the calls of a session outlive the process: whoever goes on with its run replays them. */
export interface SessionDurability {
  /**
   * Takes every outcome, those of refused calls and of calls without side effects too, but none of a call that was
   * cancelled: whether it had its effect is not known.
   */
  readonly journal: Journal;
  /** The same in every process that goes on with the run; the session leaves the pins to the run when it closes. */
  readonly pinOwner: string;
  /** Puts an artifact on record before it is pinned, so that its pin can be given back by whoever ends the run. */
  recordArtifact(ref: BlobRef): Promise<void>;
  /** How many milliseconds a question of the run stays open; `approvalTimeoutMs` of the policy when absent. */
  readonly approvalExpiryMs?: number;
  /** Questions that were asked before: their answers count, whatever was granted since. */
  readonly asked: ReadonlySet<string>;
  /** Those of them that nobody has to be waited for any more. */
  readonly answered: ReadonlySet<string>;
  /** What was granted before. */
  readonly grants: readonly RunGrant[];
  /** A call waits for a human from now on until the returned function is called. */
  onHumanWait(callId: string): () => void;
}
