import assert from 'node:assert/strict';
import { sandboxLimits } from '@ravi/kernel';
import type {
  BridgeCall,
  ConsoleLine,
  GuestError,
  Sandbox,
  SandboxLanguage,
  SandboxLimit,
  SandboxLimits,
  SandboxOutcome,
  SandboxRequest,
  SandboxSupport,
} from '@ravi/kernel';
import type { ContractTest } from '../suite/contract-test.ts';

/** Makes a sandbox. */
export type CreateSandbox = () => Sandbox | Promise<Sandbox>;

/** Options of the sandbox suites. */
export interface SandboxContractOptions {
  /** Ends the process or container of `sandbox` that runs a script now. Without it the case about crashes is skipped. */
  readonly crash?: (sandbox: Sandbox) => Promise<void>;
  /** False if functions of a Python script in a `ThreadPoolExecutor` run one after the other; true when absent. */
  readonly hasThreads?: boolean;
}

/** A request as cases write it: the rest has defaults. */
export type GuestRequest = Partial<Omit<SandboxRequest, 'code' | 'limits'>> & {
  readonly limits?: Partial<SandboxLimits>;
};

/** A run as cases look at it. */
export interface GuestRun {
  readonly outcome: SandboxOutcome;
  readonly lines: readonly ConsoleLine[];
  readonly calls: readonly BridgeCall[];
}

/** Harness of the cases of a suite. */
export interface SandboxHarness extends SandboxContractOptions {
  readonly create: CreateSandbox;
  readonly test: ContractTest;
  /** Registers a case on the sandbox that all cases share; `skipReason` says why a sandbox is spared the case. */
  scenario(
    name: string,
    body: (guest: Guest) => Promise<void>,
    skipReason?: (supports: SandboxSupport) => string | undefined,
  ): void;
}

/** The shared sandbox in the hands of a case. */
export interface Guest {
  readonly sandbox: Sandbox;
  /** Runs `code`; the script has `call(op, payload)`, and the default bridge echoes the payload. */
  run(code: string, request?: GuestRequest): Promise<GuestRun>;
  /** Runs `code`, which must succeed; gives its value. */
  value(code: string, request?: GuestRequest): Promise<unknown>;
}

/** Limits that no case meets by accident. */
const roomyLimits: SandboxLimits = {
  wallTimeMs: 30_000,
  cpuTimeMs: 20_000,
  memoryBytes: 134_217_728,
  maxConsoleBytes: 65_536,
  maxResultBytes: 1_048_576,
  maxCalls: 2_000,
  maxInFlight: 32,
};

/** Preludes that give the script `call(op, payload)`. */
const preludes: Readonly<Record<SandboxLanguage, string>> = {
  javascript: 'return { call: host.call };',
  // Waits for its answer, unless it is handed on.
  python: `
class Call:
    def __call__(self, op, payload):
        return host.call(op, payload)
    def __start__(self, op, payload):
        return host.start(op, payload)
names = {"call": Call()}
`,
};

/** The harness of one suite, whose cases are scripts in `language`. */
export function createSandboxHarness(
  test: ContractTest,
  create: CreateSandbox,
  options: SandboxContractOptions,
  language: SandboxLanguage,
): SandboxHarness {
  let shared: Promise<Sandbox> | undefined;
  return {
    ...options,
    test,
    create,
    scenario(name, body, skipReason) {
      test(`sandbox: ${name}`, async (context) => {
        shared ??= Promise.resolve(create());
        const sandbox = await shared;
        const reason = skipReason?.(sandbox.supports);
        if (reason === undefined) await body(guestOf(sandbox, language));
        else context.skip(reason);
      });
    },
  };
}

/** Registers cases about limits. A sandbox that does not declare the limit of a case is spared it. */
export function limitScenario({
  scenario,
}: SandboxHarness): (limit: SandboxLimit, name: string, body: (guest: Guest) => Promise<void>) => void {
  return (limit, name, body) =>
    scenario(name, body, ({ limits }) => (limits.includes(limit) ? undefined : `the adapter does not limit ${limit}`));
}

/** Says why a sandbox is spared the cases about deadlocks. */
export function slowDeadlocks({ detectsDeadlock }: SandboxSupport): string | undefined {
  return detectsDeadlock ? undefined : 'the adapter finds deadlocks at the time limit only';
}

/** Asserts that a sandbox declares the language of the suite and only values that the port knows, each once. */
export function assertSupports({ supports }: Sandbox, language: SandboxLanguage): void {
  const { languages, isolation, limits, detectsDeadlock, files = [] } = supports;
  assert.ok(languages.includes(language), `the sandbox does not declare ${language}`);
  assert.ok(['none', 'isolate', 'process', 'container'].includes(isolation), isolation);
  assert.equal(typeof detectsDeadlock, 'boolean');
  for (const list of [languages, limits, files]) assert.equal(new Set(list).size, list.length, `twice in ${list}`);
  assert.deepEqual(
    limits.filter((limit) => !sandboxLimits.includes(limit)),
    [],
  );
  assert.deepEqual(
    files.filter((name) => !languages.includes(name)),
    [],
  );
}

/** A sandbox in the hands of a case whose scripts are in `language`. */
export function guestOf(sandbox: Sandbox, language: SandboxLanguage): Guest {
  return { sandbox, run, value };

  async function run(code: string, request: GuestRequest = {}): Promise<GuestRun> {
    const lines: ConsoleLine[] = [];
    const calls: BridgeCall[] = [];
    const bridge = request.bridge ?? (async (call: BridgeCall) => call.payload);
    const outcome = await sandbox.run({
      language,
      prelude: preludes[language],
      principal: 'alice',
      onConsole: (line) => lines.push(line),
      ...request,
      code,
      limits: { ...roomyLimits, ...request.limits },
      bridge(call, bridgeOptions) {
        calls.push(call);
        return bridge(call, bridgeOptions);
      },
    });
    return { outcome, lines, calls };
  }

  async function value(code: string, request?: GuestRequest): Promise<unknown> {
    const { outcome } = await run(code, request);
    assert.equal(outcome.status, 'ok', JSON.stringify(outcome));
    return outcome.status === 'ok' && outcome.value !== undefined ? JSON.parse(outcome.value) : undefined;
  }
}

/** The error of a run that must have failed by one. */
export function guestErrorOf({ outcome }: GuestRun): GuestError {
  if (outcome.status !== 'error') assert.fail(JSON.stringify(outcome));
  return outcome.error;
}

/** Asserts that a run ended at `limit`, and that the message names the limit's value. */
export function assertLimit({ outcome }: GuestRun, limit: string, value: number): void {
  if (outcome.status !== 'limit') assert.fail(JSON.stringify(outcome));
  assert.equal(outcome.limit, limit);
  assert.match(outcome.message, new RegExp(`\\b${value}\\b`));
}

/** A bridge that answers nothing until `count` calls are there: only a guest that makes them at once gets on. */
export function createBarrier(count: number): { bridge(call: BridgeCall): Promise<string>; readonly highest: number } {
  let waiting: (() => void)[] = [];
  let highest = 0;
  return {
    get highest() {
      return highest;
    },
    bridge: ({ payload }) =>
      new Promise((resolve) => {
        waiting.push(() => resolve(payload));
        highest = Math.max(highest, waiting.length);
        if (waiting.length < count) return;
        for (const release of waiting) release();
        waiting = [];
      }),
  };
}
