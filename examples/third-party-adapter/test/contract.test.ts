// #region contract
import { createFakeClock } from '@ravi/testkit';
import { approvalHandlerContract } from '@ravi/testkit/approval-handler';
import { test } from 'vitest';
import { createBusinessHours } from '../src/index.ts';

const context = { baseDir: import.meta.dirname, clock: createFakeClock() };
const open = (to: number) => createBusinessHours({ allowList: '../allowed-tools.txt', from: 0, to }, context);
approvalHandlerContract(test, (answer) => open(answer === 'approved' ? 24 : 0), { answers: ['approved', 'denied'] });
// #endregion
