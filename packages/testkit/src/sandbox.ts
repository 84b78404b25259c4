export { pythonSandboxContract } from './sandbox/python/python-sandbox-contract.ts';
export { sandboxContract } from './sandbox/sandbox-contract.ts';
export { guestOf } from './sandbox/sandbox-harness.ts';
export type {
  CreateSandbox,
  Guest,
  GuestRequest,
  GuestRun,
  SandboxContractOptions,
} from './sandbox/sandbox-harness.ts';
