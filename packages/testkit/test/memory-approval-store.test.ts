import type { StateStore } from '@ravi/kernel';
import { test } from 'vitest';
import { createMemoryApprovalStore } from '../src/index.ts';
import { approvalCases } from '../src/state-store/approval-cases.ts';

approvalCases({
  options: {},
  scenario: (name, body) =>
    test(`approval store: ${name}`, () => body({ approvals: createMemoryApprovalStore() } as unknown as StateStore)),
  skip: (name) => test.skip(`approval store: ${name}`),
});
