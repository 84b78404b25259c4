/**
 * Takes what is over out of a store for good. Any number of processes may do so at once. The audit log of approvals and
 * conversations stay. What a run has pinned in a store of blobs is for the caller to give back first.
 */
export interface RetentionStore {
  /** Removes a final run with its journal, its approvals and its jobs, all or nothing; `false` when it is live or not there. */
  removeRun(id: string): Promise<boolean>;
  /**
   * Removes what belongs to no run on record, as calls do that a client makes by itself: approvals that are pending no
   * more and whose time was over before `before`, and the calls of a run id when all of them were over by then. Damaged
   * rows stay, and so do events. Gives how many approvals and run ids went.
   */
  removeStrays(before: number): Promise<number>;
}
