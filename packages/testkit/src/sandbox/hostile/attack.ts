import { setImmediate } from 'node:timers/promises';
import type { Sandbox, SandboxLimits, SandboxOutcome } from '@ravi/kernel';
import type { Bait } from './bait.ts';
import { createHostileBridge } from './hostile-bridge.ts';
import type { BridgeRecord } from './hostile-bridge.ts';
import type { HostileCase } from './hostile-case.ts';
import type { HostileDialect } from './hostile-dialect.ts';
import { rememberIntrinsics } from './intrinsics.ts';
import { readProcess } from './process-reading.ts';
import { createRunWitness } from './run-witness.ts';
import type { RunTestimony } from './run-witness.ts';

/** Environment of an attack. */
export interface AttackScene {
  readonly sandbox: Sandbox;
  readonly bait: Bait;
  readonly dialect: HostileDialect;
  /** The processes of the sandbox at the moment; absent where they cannot be read in `/proc`. */
  readonly processes?: (() => readonly number[]) | undefined;
  /** True if a process serves one run and ends with it, however the run ends. */
  readonly oneRunPerProcess?: boolean | undefined;
  /** See `HostileContractOptions`. */
  readonly bareStartMs?: number;
}

const attackLimits: SandboxLimits = {
  wallTimeMs: 15_000,
  cpuTimeMs: 3_000,
  memoryBytes: 67_108_864,
  maxConsoleBytes: 16_384,
  maxResultBytes: 65_536,
  maxCalls: 400,
  maxInFlight: 16,
};

const toleratedMs = 500;
/** Time that the system may take to free memory, files and children of an ended process. */
const toleratedTakeDownMs = 10_000;
const toleratedBytes = 16 * 1_024 * 1_024;
const toleratedHostMs = 100;

/** Runs a hostile script; gives what is wrong with how it went, nothing when the sandbox held. */
export async function attack(attempt: HostileCase, scene: AttackScene): Promise<readonly string[]> {
  const { sandbox, bait, dialect } = scene;
  const { cpuTimeMs, ...others } = { ...attackLimits, ...attempt.limits };
  const limits = { ...others, cpuTimeMs: cpuTimeMs + (scene.bareStartMs ?? 0) };
  const changedIntrinsics = rememberIntrinsics();
  const connectionsBefore = bait.connections();
  const rejections: unknown[] = [];
  const noteRejection = (reason: unknown): void => void rejections.push(reason);
  process.on('unhandledRejection', noteRejection);
  const witness = createRunWitness(scene.processes);
  const bridge = createHostileBridge((namespace) => witness.begin(namespace));
  const lines: string[] = [];
  try {
    const outcome = await sandbox.run({
      language: dialect.language,
      // The first call tells when the script begins; it is one more than the case may make.
      code: dialect.announced(attempt.code),
      prelude: dialect.prelude(bait),
      principal: 'mallory',
      limits: { ...limits, maxCalls: limits.maxCalls + 1 },
      bridge: bridge.answer,
      onConsole: ({ text }) => void lines.push(text),
    });
    const testimony = witness.end();
    const callsAtEnd = bridge.records.length;
    await setImmediate();
    const secrets = bait.secretsIn(
      JSON.stringify([outcome, lines, bridge.records.map(({ op, payload }) => [op, payload])]),
    );
    return [
      ...(hasFailed(outcome, scene)
        ? []
        : judgeEnding(attempt, outcome, { ...limits, maxCalls: limits.maxCalls + 1 }, scene)),
      ...judgeCalls(hasFailed(outcome, scene) ? {} : attempt, bridge.records, callsAtEnd),
      ...judgeTestimony(testimony, outcome, limits),
      ...(testimony.hasBegun
        ? await judgeProcess(testimony.pid, outcome, scene)
        : attempt.mayNotBegin === true || hasFailed(outcome, scene)
          ? []
          : ['the script never started']),
      ...secrets.map((place) => `a secret leaked: ${place}`),
      ...changedIntrinsics().map((name) => `an intrinsic of the host has changed: ${name}`),
      ...rejections.map((reason) => `a rejection was not handled: ${String(reason)}`),
      ...(bait.connections() > connectionsBefore ? ['a process connected to the host'] : []),
    ];
  } finally {
    process.off('unhandledRejection', noteRejection);
    witness.end();
  }
}

function judgeEnding(
  attempt: HostileCase,
  outcome: SandboxOutcome,
  limits: SandboxLimits,
  { bareStartMs }: AttackScene,
): readonly string[] {
  const shown = JSON.stringify(outcome).slice(0, 300);
  if (attempt.meets !== undefined) {
    if (outcome.status !== 'limit' || !attempt.meets.includes(outcome.limit)) {
      return [`reached none of its limits (${attempt.meets.join(', ')}): ${shown}`];
    }
    const value = String(limits[limitFields[outcome.limit]]);
    return outcome.message.includes(value) ? [] : [`the message does not name the limit's value ${value}: ${shown}`];
  }
  const more = bareStartMs === undefined ? undefined : attempt.endsWithoutSystem;
  const ends = [...(attempt.ends ?? ['ok']), ...(more ?? [])];
  if (!ends.includes(outcome.status)) return [`ended in an unexpected way (${ends.join(', ')}): ${shown}`];
  if (attempt.value === undefined || outcome.status !== 'ok' || outcome.value === attempt.value) return [];
  return [`returned a value other than ${attempt.value}: ${shown}`];
}

const limitFields = {
  wall: 'wallTimeMs',
  cpu: 'cpuTimeMs',
  memory: 'memoryBytes',
  source: 'maxSourceBytes',
  console: 'maxConsoleBytes',
  result: 'maxResultBytes',
  calls: 'maxCalls',
  'in-flight': 'maxInFlight',
} as const;

const absent =
  /^(OSError|FileNotFoundError|PermissionError|NotImplementedError|ModuleNotFoundError|AttributeError|OverflowError)$|^RuntimeError: can't start new thread/;

/** True if the attack broke off because there is no such thing as it attacks, or if it ended at a limit. */
function hasFailed(outcome: SandboxOutcome, { bareStartMs }: AttackScene): boolean {
  if (bareStartMs === undefined) return false;
  if (outcome.status === 'limit') return true;
  if (outcome.status !== 'error') return false;
  const { name, message } = outcome.error;
  return absent.test(name) || absent.test(`${name}: ${message}`);
}

function judgeCalls(
  attempt: Pick<HostileCase, 'calls'>,
  records: readonly BridgeRecord[],
  atEnd: number,
): readonly string[] {
  const findings: string[] = [];
  if (records.length > atEnd) findings.push('a call began after the end of the run');
  if (attempt.calls !== undefined && records.length !== attempt.calls) {
    findings.push(`${records.length} calls reached the host instead of ${attempt.calls}`);
  }
  if (records.some(({ settled, signal }) => !settled && !signal.aborted)) {
    findings.push('a call was neither answered nor aborted');
  }
  return findings;
}

function judgeTestimony(seen: RunTestimony, outcome: SandboxOutcome, limits: SandboxLimits): readonly string[] {
  const findings: string[] = [];
  const overMs = outcome.durationMs - limits.wallTimeMs - Math.max(0, seen.hostPauseMs);
  if (overMs > toleratedMs) findings.push(`it ended ${Math.round(overMs)} ms after its time`);
  const overCpuMs = seen.cpuTimeMs - limits.cpuTimeMs;
  if (overCpuMs > toleratedMs) findings.push(`it computed ${overCpuMs} ms longer than it may`);
  const overBytes = seen.memoryBytes - Math.max(limits.memoryBytes, seen.unwatchedBytes);
  if (overBytes > toleratedBytes) findings.push(`its memory rose ${overBytes} bytes above its limit`);
  if (seen.hostBusyMs > toleratedHostMs) findings.push(`the host was held up for ${Math.round(seen.hostBusyMs)} ms`);
  return findings;
}

/** A process that exceeded a limit must be gone, not only silent. */
async function judgeProcess(
  pid: number | undefined,
  { status }: SandboxOutcome,
  { processes, oneRunPerProcess }: AttackScene,
): Promise<readonly string[]> {
  if (processes === undefined) return [];
  if (pid === undefined) return ['its process is unknown'];
  const mayStay = status === 'ok' || status === 'error' || status === 'deadlock';
  if (mayStay && oneRunPerProcess !== true) return [];
  const endedAt = performance.now();
  for (let seen = readProcess(pid); seen !== undefined; seen = readProcess(pid)) {
    const sinceMs = performance.now() - endedAt;
    if (sinceMs > (seen.isEnding ? toleratedTakeDownMs : toleratedMs)) return [`its process ${pid} is still there`];
    await setImmediate();
  }
  return [];
}
