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

/** Returns a complete request: `publish_report`, risk `high`, open for ten minutes from the start of a fake clock. */
export function createApprovalRequest(overrides: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const requestedAt = overrides.requestedAt ?? Date.UTC(2025, 0, 1);
  return {
    id: 'approval-1',
    runId: 'run-1',
    sessionId: 'session-1',
    callId: 'call-1',
    principal: 'ada',
    tool: 'publish_report',
    description: 'Writes a report to disk.',
    risk: 'high',
    summary: 'Write delays.md',
    args: { path: 'delays.md', text: 'Flights were late.' },
    argsDigest: `hmac-sha256:${'a'.repeat(64)}`,
    toolDigest: 'b'.repeat(64),
    requestedAt,
    expiresAt: requestedAt + 600_000,
    ...overrides,
  };
}
