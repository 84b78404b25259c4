import { pythonCallCases } from './python-call-cases.ts';
import { pythonConsoleCases } from './python-console-cases.ts';
import { pythonErrorCases } from './python-error-cases.ts';
import { pythonLifecycleCases } from './python-lifecycle-cases.ts';
import { pythonLimitCases } from './python-limit-cases.ts';
import { pythonValueCases } from './python-value-cases.ts';
import { fileCases } from '../file-cases.ts';
import { createSandboxHarness } from '../sandbox-harness.ts';
import type { CreateSandbox, SandboxContractOptions } from '../sandbox-harness.ts';
import type { ContractTest } from '../../suite/contract-test.ts';

/**
 * Registers the contract suite of the `Sandbox` port for scripts in Python. `sandboxContract` is that for JavaScript, and is
 * used like it. The sandbox must declare the language `python`.
 */
export function pythonSandboxContract(
  test: ContractTest,
  create: CreateSandbox,
  options: SandboxContractOptions = {},
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
