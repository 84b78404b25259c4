import { pythonCallCases } from './python-sandbox-contract-calls.ts';
import { pythonConsoleCases } from './python-sandbox-contract-console.ts';
import { pythonErrorCases } from './python-sandbox-contract-errors.ts';
import { pythonLifecycleCases } from './python-sandbox-contract-lifecycle.ts';
import { pythonLimitCases } from './python-sandbox-contract-limits.ts';
import { pythonValueCases } from './python-sandbox-contract-values.ts';
import { fileCases } from './sandbox-contract-files.ts';
import { createSandboxHarness } from './sandbox-contract-harness.ts';
import type { CreateSandbox, SandboxContractOptions } from './sandbox-contract-harness.ts';
import type { ContractTest } from './test-runner.ts';

/**
 * The contract suite of the `Sandbox` port for scripts in Python, beside `sandboxContract` for those in JavaScript, and
 * used like it. The sandbox must declare the language `python`.
 */
export function pythonSandboxContract(
  test: ContractTest,
  create: CreateSandbox,
  options: SandboxContractOptions,
): void {
  const harness = createSandboxHarness(test, create, options, 'python');
  pythonValueCases(harness);
  pythonErrorCases(harness);
  pythonConsoleCases(harness);
  pythonCallCases(harness);
  pythonLimitCases(harness);
  fileCases(harness);
  pythonLifecycleCases(harness);
}
