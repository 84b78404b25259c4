import { KernelError, systemClock } from '@ravi/kernel';
import { keepProcess } from '../../src/index.ts';
import type { KeepProcessOptions, KeptProcess } from '../../src/index.ts';
import { createTestProcesses } from './memory-processes.ts';
import type { TestProcesses } from './memory-processes.ts';
import type { Clock, HistoryStore, Job, JobStore, Run, RunHolder, RunStore, HistoryEntry } from '@ravi/kernel';

/** History that a test can inspect; two entries per page, so that reading needs several pages. */
export interface TestHistory extends HistoryStore {
  readonly entries: readonly HistoryEntry[];
  /** Makes the append with this number fail; the first is 1. */
  failAt(number: number): void;
}

export function createTestHistory(): TestHistory {
  const entries: HistoryEntry[] = [];
  let appends = 0;
  let failing = 0;
  return {
    entries,
    failAt(number) {
      failing = number;
    },
    async append(added, expectedLength) {
      if (++appends === failing) throw new KernelError('E_STATE_UNAVAILABLE', 'The disk is full', { retryable: true });
      const length = entries.filter((entry) => isOf(entry, added[0]?.principal, added[0]?.sessionId)).length;
      if (expectedLength !== undefined && expectedLength !== length) {
        throw new KernelError('E_STATE_CONFLICT', `The conversation has ${length} entries, not ${expectedLength}`);
      }
      const rows = added.map((entry, index) => ({ ...structuredClone(entry), number: length + index + 1 }));
      entries.push(...rows);
      return rows;
    },
    async read(principal, sessionId, { cursor = '0' } = {}) {
      const own = entries.filter((entry) => isOf(entry, principal, sessionId));
      const from = Number(cursor);
      const next = from + 2 < own.length ? { next: String(from + 2) } : {};
      return { items: own.slice(from, from + 2), corrupt: [], ...next };
    },
  };
}

function isOf(entry: HistoryEntry, principal: string | undefined, sessionId: string | undefined): boolean {
  return entry.principal === principal && entry.sessionId === sessionId;
}

/** Runs that a test can inspect and reset. */
export interface TestRuns extends RunStore {
  readonly processes: TestProcesses;
  readonly all: ReadonlyMap<string, Run>;
  restore(run: Run): void;
}

/** Creates a run store with the methods that agents use. */
export function createTestRuns(clock: Pick<Clock, 'now'> = systemClock): TestRuns {
  const all = new Map<string, Run>();
  const processes = createTestProcesses(clock);
  const unused = async (): Promise<never> => {
    throw new TypeError('An agent does not need this');
  };
  return {
    all,
    processes,
    restore: (run) => void all.set(run.id, run),
    async create(run, holder) {
      if (all.has(run.id)) throw new KernelError('E_STATE_CONFLICT', `The id ${run.id} is taken`);
      const epoch = holder === undefined ? 0 : 1;
      const row: Run = { ...run, status: 'running', updatedAt: run.createdAt, epoch, ...ownerOf(holder) };
      all.set(run.id, row);
      return row;
    },
    get: async (id) => all.get(id),
    async transition(id, { from, to, now, owner, epoch, outcome }) {
      const run = all.get(id);
      if (run === undefined || !from.includes(run.status)) return false;
      if (owner !== undefined && run.owner !== owner) return false;
      if (epoch !== undefined && run.epoch !== epoch) return false;
      const { owner: holder, ...rest } = run;
      const held = to === 'running' && holder !== undefined ? { owner: holder } : {};
      all.set(id, { ...rest, ...held, status: to, updatedAt: now, ...(outcome === undefined ? {} : { outcome }) });
      return true;
    },
    async list({ parentRunId, sessionId, status }) {
      const wanted = Object.entries({ parentRunId, sessionId, status }).filter(([, value]) => value !== undefined);
      const items = [...all.values()].filter((run) =>
        wanted.every(([key, value]) => (run[key as keyof Run] ?? null) === value),
      );
      return { items, corrupt: [] };
    },
    async claim(id, { owner }) {
      const run = all.get(id);
      const isSame = run?.owner === owner;
      const isHeld = run?.owner !== undefined && !isSame && processes.isAlive(run.owner);
      if (run === undefined || isHeld) return undefined;
      const claimed = { ...run, epoch: run.epoch + (isSame ? 0 : 1), owner };
      all.set(id, claimed);
      return claimed;
    },
    async release(id, owner, epoch) {
      const { owner: holder, ...run } = all.get(id) as Run;
      if (holder !== owner || run.epoch !== (epoch ?? run.epoch)) return false;
      all.set(id, run);
      return true;
    },
    listHeld: async (owner) => [...all.values()].filter((run) => run.owner === owner),
    listFree: unused,
    listPaused: unused,
    listAnswered: unused,
    countPaused: unused,
  };
}

/** Returns this process as the owner of runs in a store of {@link createTestRuns}. */
export function keepTestProcess(runs: TestRuns, id: string, options: Partial<KeepProcessOptions> = {}): KeptProcess {
  return keepProcess({ store: { runs, processes: runs.processes }, id, ...options });
}

function ownerOf(holder: RunHolder | undefined): Pick<Run, 'owner'> {
  return holder === undefined ? {} : { owner: holder.owner };
}

/** Creates a job store with the methods that agents use. */
export function createTestJobs(): JobStore & { readonly all: ReadonlyMap<string, Job> } {
  const all = new Map<string, Job>();
  return {
    all,
    async create(job) {
      const row: Job = { ...job, status: 'queued', version: 1, updatedAt: job.createdAt };
      all.set(job.id, row);
      return row;
    },
    get: async (id) => all.get(id),
    async list({ runId }) {
      return { items: [...all.values()].filter((job) => job.runId === runId).toReversed(), corrupt: [] };
    },
    async update(id, expectedVersion, { now, ...change }) {
      const job = all.get(id);
      if (job === undefined || job.version !== expectedVersion) return undefined;
      const changed = { ...job, ...change, version: job.version + 1, updatedAt: now };
      all.set(id, changed);
      return changed;
    },
    cancel: async () => undefined,
  };
}
