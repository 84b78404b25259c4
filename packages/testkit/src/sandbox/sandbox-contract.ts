import { callCases } from './call-cases.ts';
import { callSizeCases } from './call-size-cases.ts';
import { consoleCases } from './console-cases.ts';
import { errorCases } from './error-cases.ts';
import { escapeCases } from './escape-cases.ts';
import { fileCases } from './file-cases.ts';
import { lifecycleCases } from './lifecycle-cases.ts';
import { limitCases } from './limit-cases.ts';
import { createSandboxHarness } from './sandbox-harness.ts';
import type { CreateSandbox, SandboxContractOptions } from './sandbox-harness.ts';
import { tamperingCases } from './tampering-cases.ts';
import { timerCases } from './timer-cases.ts';
import { turnCases } from './turn-cases.ts';
import { valueCases } from './value-cases.ts';
import type { ContractTest } from '../suite/contract-test.ts';

/**
 * Registers the contract suite of the `Sandbox` port, the escapes included. Give it the `test` of vitest or of
 * `node:test` and a factory. The suite reads the `supports` of the sandbox: what it declares must work, cases about what
 * it does not declare are reported as skipped. One sandbox serves all cases; the last ones close it.
 */
export function sandboxContract(test: ContractTest, create: CreateSandbox, options: SandboxContractOptions = {}): void {
  const harness = createSandboxHarness(test, create, options, 'javascript');
  valueCases(harness);
  errorCases(harness);
  consoleCases(harness);
  callCases(harness);
  timerCases(harness);
  turnCases(harness);
  limitCases(harness);
  callSizeCases(harness);
  fileCases(harness);
  tamperingCases(harness);
  escapeCases(harness);
  lifecycleCases(harness);
}
