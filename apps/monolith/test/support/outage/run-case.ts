import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { isKernelError } from '@ravi/kernel';
import type { CompleteStateStore, Run, Sandbox } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { createStoredEvents } from '../../../src/runs/stored-events.ts';
import { createFaultyStore } from './faulty-store.ts';
import type { Fault, FaultyStore } from './faulty-store.ts';
import { createTools, steppingModel } from './scenarios.ts';
import type { Scenario, World } from './scenarios.ts';
import { openTestProcess } from './test-process.ts';
import type { TestProcess } from './test-process.ts';

/** Facts about a case whose run has ended as it must. */
export interface CaseResult {
  /** Number of calls of each operation of the store. */
  readonly counts: ReadonlyMap<string, number>;
  /** Operations that failed. */
  readonly failed: readonly string[];
  /** Events of the run and of its sub-agents, in the order of their types and calls. */
  readonly events: readonly string[];
}

const runId = 'run_case';
const sessionId = 'session_case';
const limitMs = 30_000;

/** Runs a scenario while `fault` happens. @throws Error if the run does not end as it would without the fault */
export async function runCase(scenario: Scenario, sandbox: Sandbox, fault?: Fault): Promise<CaseResult> {
  const raw = await createSqliteStateStore({ file: ':memory:' });
  const world: World = { effects: [], isHeld: scenario.isKilled === true };
  const open = (faulty: FaultyStore, ownSandbox: Sandbox = sandbox): TestProcess =>
    openTestProcess({
      stateStore: faulty.store,
      model: steppingModel,
      sandbox: ownSandbox,
      tools: createTools(world, ownSandbox),
      config: {
        policy: { maxRiskUnapproved: 'high' },
        approvals: { mode: scenario.approvals ?? 'wait' },
        runs: { leaseMs: 1_000 },
      },
    });
  if (scenario.isKilled === true) await killInside(open, raw, scenario, world);

  const faulty = createFaultyStore(raw, fault);
  const process = open(faulty);
  await using _disposing = { [Symbol.asyncDispose]: () => disposed(process) };
  await using approver = startApprover(raw, process, scenario);
  if (scenario.isKilled !== true) await start(process, scenario);
  const run = await ended(raw, process, scenario);
  const counts = new Map(faulty.counts);
  await approver.stop();
  assert.equal(run.status, 'completed', JSON.stringify(run.outcome));
  assert.deepEqual(world.effects.toSorted(), scenario.effects.toSorted());
  const events = await eventsOf(raw);
  await checkSettled(raw);
  return { counts, failed: faulty.failed, events };
}

// Like a client, which repeats a request that was not answered under the same key.
async function start({ durable: { runs } }: TestProcess, { kind, work, approvals = 'wait' }: Scenario): Promise<void> {
  await repeated(() =>
    kind === 'agent'
      ? runs.startAgent({ runId, sessionId, task: work })
      : runs.startChain({ runId, sessionId, code: work, approvals }),
  );
}

async function repeated<Value>(request: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!isKernelError(error, 'E_STATE_UNAVAILABLE')) throw error;
    }
    await pause(10);
  }
}

async function killInside(
  open: (faulty: FaultyStore, sandbox: Sandbox) => TestProcess,
  raw: CompleteStateStore,
  scenario: Scenario,
  world: World,
): Promise<void> {
  const faulty = createFaultyStore(raw);
  // Its script never ends, and would keep its place in a sandbox that is shared.
  const sandbox = createIsolatedVmSandbox();
  const process = open(faulty, sandbox);
  await start(process, scenario);
  const until = Date.now() + limitMs;
  while (!world.effects.some((effect) => effect.startsWith('sync'))) {
    if (Date.now() > until) throw new Error(`The script does not run: ${JSON.stringify(await raw.runs.get(runId))}`);
    await pause(2);
  }
  faulty.cutOff();
  world.isHeld = false;
  await sandbox[Symbol.asyncDispose]?.();
  for (const { id } of (await raw.processes.list()).items) await raw.processes.remove(id);
}

async function ended(raw: CompleteStateStore, process: TestProcess, { answer }: Scenario): Promise<Run> {
  const until = Date.now() + limitMs;
  let hasAnswered = false;
  for (;;) {
    const run = await raw.runs.get(runId);
    if (run?.outcome !== undefined) return run;
    if (answer !== undefined && run?.status === 'paused' && !hasAnswered) {
      hasAnswered = await answered(process, run, answer);
    }
    if (Date.now() > until) {
      const { items } = await raw.approvals.list({ runId });
      throw new Error(`The run is stuck: ${JSON.stringify({ run, approvals: items.map(({ status }) => status) })}`);
    }
    await pause(5);
  }
}

/** Answers the question of a run. Returns false if the answer has to be sent again. */
async function answered({ durable: { runs } }: TestProcess, run: Run, answer: string): Promise<boolean> {
  try {
    await runs.resumeAgent(run, answer);
    return true;
  } catch (error) {
    // The run may be stored as paused before its process has let go of it.
    if (isKernelError(error, 'E_STATE_UNAVAILABLE') || isKernelError(error, 'E_STATE_CONFLICT')) return false;
    throw error;
  }
}

/** @throws Error if the process does not end */
async function disposed(process: TestProcess): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('The process does not end')), limitMs);
  try {
    await Promise.race([process[Symbol.asyncDispose](), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Approves every request; of a run that pauses, once it is paused. */
function startApprover(
  raw: CompleteStateStore,
  { parts: { approvalFeed } }: TestProcess,
  { approvals }: Scenario,
): AsyncDisposable & { stop(): Promise<void> } {
  let isOver = false;
  async function approve(): Promise<void> {
    while (!isOver) {
      const { items } = await raw.approvals.list({ status: 'undecided' });
      const run = await raw.runs.get(runId);
      for (const { request } of approvals === 'pause' && run?.status !== 'paused' ? [] : items) {
        await raw.approvals.decide(request.id, { decision: 'approved', approver: 'ann', decidedAt: Date.now() });
        approvalFeed?.checkNow();
      }
      await pause(5);
    }
  }
  const approving = approve();
  const stop = async (): Promise<void> => {
    isOver = true;
    await approving;
  };
  return { stop, [Symbol.asyncDispose]: stop };
}

// Kinds of events whose number does not depend on when an approver decides.
const stableTypes = new Set(['tool-call', 'tool-result', 'approval-requested', 'approval-decided', 'run-end']);

// A run that continues announces them again.
const repeatedTypes = new Set(['tool-call', 'approval-requested']);

async function eventsOf(raw: CompleteStateStore): Promise<readonly string[]> {
  const all: string[] = [];
  const { items: children } = await raw.runs.list({ parentRunId: runId });
  const agents = children.filter(({ definition }) => definition.kind === 'agent').map(({ id }) => id);
  for (const id of [runId, ...agents]) {
    const events = await createStoredEvents(raw).load(id);
    let [epoch, n] = [0, 0];
    for (const event of events) {
      const [atEpoch = 0, atN = 0] = (event.id ?? '').split('.').map(Number);
      assert.ok(atEpoch > epoch ? atN === 1 : atEpoch === epoch && atN === n + 1, `${epoch}.${n} then ${event.id}`);
      [epoch, n] = [atEpoch, atN];
    }
    assert.equal(events.at(-1)?.type, 'run-end', `the last event of ${id} is ${events.at(-1)?.type}`);
    // A call that its run left when it paused, or that its process left, is made again in a later epoch, or only ends there.
    const calls = new Map<string, { readonly type: string; readonly epoch: string | undefined }>();
    for (const { id: eventId = '', type, data } of events) {
      if (type !== 'tool-call' && type !== 'tool-result') continue;
      const at = eventId.split('.')[0];
      const last = calls.get(data.callId);
      const fits = type === 'tool-call' ? last?.epoch !== at : last?.type === 'tool-call';
      assert.ok(fits, `${type} of ${data.callId} after ${last?.type} in epoch ${at}`);
      calls.set(data.callId, { type, epoch: at });
    }
    for (const [callId, { type }] of calls) assert.equal(type, 'tool-result', `${callId} has no end`);
    const seen = new Set<string>();
    for (const { type, data } of events) {
      if (!stableTypes.has(type) || ('status' in data && data.status === 'cancelled')) continue;
      const line = `${id === runId ? 'run' : 'sub'} ${type} ${'callId' in data ? data.callId : ''}`;
      if (!repeatedTypes.has(type)) assert.ok(!seen.has(line), `${line} twice`);
      seen.add(line);
    }
    all.push(...seen);
  }
  return all.toSorted();
}

/** Checks that nothing below the run is left open. */
async function checkSettled(raw: CompleteStateStore): Promise<void> {
  const { items: undecided } = await raw.approvals.list({ status: 'undecided' });
  assert.equal(undecided.length, 0, 'a request is left open');
  const { items: jobs } = await raw.jobs.list({ runId });
  for (const { status } of jobs) assert.equal(status, 'completed');
  const { items: runs } = await raw.runs.list({});
  for (const { id, status } of runs) assert.equal(status, 'completed', `${id} below the run is ${status}`);
}
