import type { ApprovalHandler, ApprovalRequest, ApprovalDecisionInput } from '@ravi/kernel';

/** An approval handler that remembers what it was asked. */
export interface TestApprovals extends ApprovalHandler {
  readonly requests: readonly ApprovalRequest[];
  readonly signals: readonly AbortSignal[];
  /** Resolves once the question of this number (from 0) was asked. */
  asked(index: number): Promise<ApprovalRequest>;
}

/** Answers each question with what `decide` gives; it may give what no handler should. */
export function createTestApprovals(decide: (request: ApprovalRequest, index: number) => unknown): TestApprovals {
  const requests: ApprovalRequest[] = [];
  const signals: AbortSignal[] = [];
  const asked: PromiseWithResolvers<ApprovalRequest>[] = [];
  const at = (index: number): PromiseWithResolvers<ApprovalRequest> =>
    (asked[index] ??= Promise.withResolvers<ApprovalRequest>());
  return {
    requests,
    signals,
    asked: (index) => at(index).promise,
    request(request, { signal }) {
      const index = requests.push(request) - 1;
      signals.push(signal);
      at(index).resolve(request);
      return decide(request, index) as Promise<ApprovalDecisionInput>;
    },
  };
}

/** Approves everything. */
export function approveAll(): TestApprovals {
  return createTestApprovals(() => Promise.resolve({ decision: 'approved', approver: 'grace' }));
}

/** Never answers. */
export function neverAnswers(): TestApprovals {
  return createTestApprovals(() => new Promise(() => {}));
}
