import { KernelError, systemClock } from '@ravi/kernel';
import type {
  Clock,
  HistoryStore,
  Job,
  JobStore,
  LeaseRequest,
  Run,
  RunLease,
  RunStore,
  HistoryEntry,
} from '@ravi/kernel';

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
  readonly all: ReadonlyMap<string, Run>;
  restore(run: Run): void;
}

/** Creates a run store with the methods that agents use. */
export function createTestRuns(clock: Pick<Clock, 'now'> = systemClock): TestRuns {
  const all = new Map<string, Run>();
  const unused = async (): Promise<never> => {
    throw new TypeError('An agent does not need this');
  };
  return {
    all,
    restore: (run) => void all.set(run.id, run),
    async create(run, lease) {
      if (all.has(run.id)) throw new KernelError('E_STATE_CONFLICT', `The id ${run.id} is taken`);
      const epoch = lease === undefined ? 0 : 1;
      const row: Run = { ...run, status: 'running', updatedAt: run.createdAt, epoch, ...leaseFor(lease, clock) };
      all.set(run.id, row);
      return row;
    },
    get: async (id) => all.get(id),
    async transition(id, { from, to, now, owner, epoch, outcome }) {
      const run = all.get(id);
      if (run === undefined || !from.includes(run.status)) return false;
      if (owner !== undefined && run.lease?.owner !== owner) return false;
      if (epoch !== undefined && run.epoch !== epoch) return false;
      const { lease, ...rest } = run;
      const held = to === 'running' && lease !== undefined ? { lease } : {};
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
    async claim(id, request) {
      const run = all.get(id);
      const isHeld = run?.lease !== undefined && run.lease.owner !== request.owner && run.lease.expiresAt > clock.now();
      if (run === undefined || isHeld) return undefined;
      const isSame = run.lease?.owner === request.owner;
      const claimed = { ...run, epoch: run.epoch + (isSame ? 0 : 1), ...leaseFor(request, clock) };
      all.set(id, claimed);
      return claimed;
    },
    async renew(id, request) {
      const run = all.get(id);
      if (run?.lease?.owner !== request.owner || run.epoch !== (request.epoch ?? run.epoch)) return false;
      all.set(id, { ...run, ...leaseFor(request, clock) });
      return true;
    },
    async release(id, owner, epoch) {
      const { lease, ...run } = all.get(id) as Run;
      if (lease?.owner !== owner || run.epoch !== (epoch ?? run.epoch)) return false;
      all.set(id, run);
      return true;
    },
    listExpired: unused,
    listPaused: unused,
    listAnswered: unused,
    countPaused: unused,
    listOwners: unused,
    expireLeases: unused,
  };
}

function leaseFor(request: LeaseRequest | undefined, clock: Pick<Clock, 'now'>): { readonly lease?: RunLease } {
  if (request === undefined) return {};
  const { owner, leaseMs } = request;
  return { lease: { owner, expiresAt: clock.now() + leaseMs } };
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
