export { sandboxLimits } from './sandbox/sandbox.ts';
export type {
  BridgeCall,
  ConsoleLine,
  EndingLimit,
  GuestError,
  Sandbox,
  SandboxFile,
  SandboxLanguage,
  SandboxLimit,
  SandboxLimits,
  SandboxOutcome,
  SandboxRequest,
  SandboxSupport,
} from './sandbox/sandbox.ts';
