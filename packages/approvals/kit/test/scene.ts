import type {
  ApprovalDecisionInput,
  ApprovalFeed,
  ApprovalHandler,
  ApprovalRequest,
  ApprovalStore,
  ApprovalTransition,
} from '@ravi/kernel';
import { createApprovalRequest, createFakeClock, createMemoryApprovalStore, createMemoryLogger } from '@ravi/testkit';
import type { FakeClock } from '@ravi/testkit';
import { createApprovalFeed, createStoredApprovals } from '../src/index.ts';

/** One process with stored approvals, at the time of a fake clock. */
export interface Scene {
  readonly store: ApprovalStore;
  readonly clock: FakeClock;
  readonly logger: ReturnType<typeof createMemoryLogger>;
  readonly feed: ApprovalFeed;
  /** Requests an approval; `overrides` replace fields of the usual request. */
  request(overrides?: Partial<ApprovalRequest>, signal?: AbortSignal): Promise<ApprovalDecisionInput>;
  /** Records a decision in the store, as another process does. */
  decide(decision?: ApprovalDecisionInput, id?: string): Promise<ApprovalTransition>;
}

/** Options of {@link openScene}. */
export interface SceneOptions {
  readonly store?: ApprovalStore;
  readonly handler?: ApprovalHandler;
  readonly maxPollMs?: number;
}

/** Decision of most tests. */
export const approved: ApprovalDecisionInput = { decision: 'approved', approver: 'ada', reason: 'fine', scope: 'run' };

/** Opens a scene. */
export function openScene({ store = createMemoryApprovalStore(), handler, maxPollMs }: SceneOptions = {}): Scene {
  const clock = createFakeClock();
  const logger = createMemoryLogger();
  const polling = maxPollMs === undefined ? {} : { maxPollMs };
  const feed = createApprovalFeed({ store, clock, logger, ...polling });
  const asked = handler === undefined ? {} : { handler };
  const approvals = createStoredApprovals({ store, feed, clock, logger, ...asked });
  return {
    store,
    clock,
    logger,
    feed,
    request: (overrides, signal = new AbortController().signal) =>
      approvals.request(createApprovalRequest(overrides), { signal }),
    decide: (decision = approved, id = 'approval-1') => store.decide(id, { ...decision, decidedAt: clock.now() }),
  };
}

/** Lets everything happen that needs no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
