import type { ApprovalRequest } from '@ravi/kernel';

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
