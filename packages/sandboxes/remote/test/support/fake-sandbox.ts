import { sandboxLimits } from '@ravi/kernel';
import type { Sandbox, SandboxOutcome, SandboxRequest, SandboxSupport } from '@ravi/kernel';

/** Support of the fake sandbox: that of the default one. */
export const fakeSupport: SandboxSupport = {
  languages: ['javascript'],
  isolation: 'process',
  limits: sandboxLimits,
  detectsDeadlock: true,
  marksTurns: ['javascript'],
};

/** Outcome of a run that returned `value`. */
export function returned(value: string): SandboxOutcome {
  return { status: 'ok', value, durationMs: 1, consoleDroppedBytes: 0 };
}

/** Creates a sandbox in this process that runs `body` instead of the code of a request. Like any sandbox it ends when it is aborted. */
export function createFakeSandbox(
  body: (request: SandboxRequest) => Promise<SandboxOutcome>,
  supports: SandboxSupport = fakeSupport,
): Sandbox {
  const run = (request: SandboxRequest): Promise<SandboxOutcome> => {
    const aborted = new Promise<SandboxOutcome>((resolve) => {
      const end = (): void => resolve({ status: 'cancelled', durationMs: 1, consoleDroppedBytes: 0 });
      request.signal?.addEventListener('abort', end, { once: true });
    });
    return Promise.race([body(request), aborted]);
  };
  return { name: 'fake', supports, run, async [Symbol.asyncDispose]() {} };
}

/** A request that returns at once, unless `changes` say otherwise. */
export function requestOf(changes: Partial<SandboxRequest> = {}): SandboxRequest {
  return {
    language: 'javascript',
    code: 'return 1',
    prelude: 'return { call: host.call };',
    principal: 'alice',
    limits: {
      wallTimeMs: 60_000,
      cpuTimeMs: 10_000,
      memoryBytes: 134_217_728,
      maxConsoleBytes: 1_000,
      maxResultBytes: 1_000,
      maxCalls: 1_000,
      maxInFlight: 64,
    },
    bridge: async ({ payload }) => payload,
    onConsole() {},
    ...changes,
  };
}
