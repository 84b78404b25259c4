import { callCases } from './sandbox-contract-calls.ts';
import { callSizeCases } from './sandbox-contract-call-sizes.ts';
import { consoleCases } from './sandbox-contract-console.ts';
import { errorCases } from './sandbox-contract-errors.ts';
import { escapeCases } from './sandbox-contract-escapes.ts';
import { fileCases } from './sandbox-contract-files.ts';
import { lifecycleCases } from './sandbox-contract-lifecycle.ts';
import { limitCases } from './sandbox-contract-limits.ts';
import { createSandboxHarness } from './sandbox-contract-harness.ts';
import type { CreateSandbox, SandboxContractOptions } from './sandbox-contract-harness.ts';
import { tamperingCases } from './sandbox-contract-tampering.ts';
import { timerCases } from './sandbox-contract-timers.ts';
import { valueCases } from './sandbox-contract-values.ts';
import type { ContractTest } from './test-runner.ts';

/**
 * The contract suite of the `Sandbox` port, the hostile scripts included. Give it the `test` of vitest or of
 * `node:test`, a factory, and what the adapter declares: what it declares must work, what it does not declare is
 * reported as skipped. One sandbox serves all cases; the last ones close it.
 */
export function sandboxContract(test: ContractTest, create: CreateSandbox, options: SandboxContractOptions): void {
  const harness = createSandboxHarness(test, create, options, 'javascript');
  valueCases(harness);
  errorCases(harness);
  consoleCases(harness);
  callCases(harness);
  timerCases(harness);
  limitCases(harness);
  callSizeCases(harness);
  fileCases(harness);
  tamperingCases(harness);
  escapeCases(harness);
  lifecycleCases(harness);
}
