import { test } from 'vitest';
import { createMemoryApprovalStore } from '../src/index.ts';
import { approvalCases } from '../src/state-store/approval-cases.ts';

approvalCases({
  options: {},
  needing: () => (name, body) =>
    test(`approval store: ${name}`, () => body({ approvals: createMemoryApprovalStore() } as never)),
  skip: (name) => test.skip(`approval store: ${name}`),
});
