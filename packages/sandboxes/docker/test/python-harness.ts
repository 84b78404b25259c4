import assert from 'node:assert/strict';
import type { BridgeCall, ConsoleLine, Sandbox, SandboxLimits, SandboxOutcome, SandboxRequest } from '@ravi/kernel';

/** A run of Python as tests look at it. */
export interface PythonRun {
  readonly outcome: SandboxOutcome;
  readonly lines: readonly ConsoleLine[];
  readonly calls: readonly BridgeCall[];
}

/** `call(op, payload)` waits for its answer, unless it is handed on. */
const prelude = `
class Call:
    def __call__(self, op, payload):
        return host.call(op, payload)
    def __start__(self, op, payload):
        return host.start(op, payload)
names = {"call": Call()}
`;

const roomyLimits: SandboxLimits = {
  wallTimeMs: 30_000,
  cpuTimeMs: 20_000,
  memoryBytes: 134_217_728,
  maxConsoleBytes: 65_536,
  maxResultBytes: 1_048_576,
  maxCalls: 2_000,
  maxInFlight: 32,
};

/** Runs Python; the bridge echoes the payload where no other is given. */
export async function runPython(
  sandbox: Sandbox,
  code: string,
  request: Partial<Omit<SandboxRequest, 'limits'>> & { readonly limits?: Partial<SandboxLimits> } = {},
): Promise<PythonRun> {
  const lines: ConsoleLine[] = [];
  const calls: BridgeCall[] = [];
  const bridge = request.bridge ?? (async ({ payload }: BridgeCall) => payload);
  const outcome = await sandbox.run({
    language: 'python',
    prelude,
    principal: 'alice',
    onConsole: (line) => lines.push(line),
    ...request,
    code,
    limits: { ...roomyLimits, ...request.limits },
    bridge(call, options) {
      calls.push(call);
      return bridge(call, options);
    },
  });
  return { outcome, lines, calls };
}

/** The value of a run that must succeed. */
export async function valueOfPython(...args: Parameters<typeof runPython>): Promise<unknown> {
  const { outcome } = await runPython(...args);
  assert.equal(outcome.status, 'ok', JSON.stringify(outcome));
  return outcome.status === 'ok' && outcome.value !== undefined ? JSON.parse(outcome.value) : undefined;
}
