import type { StateStoreWith, ValuePlace } from '@ravi/kernel';
import { createApprovalRequest } from '../doubles/test-approvals.ts';
import { deadAfterMs, midnight, newRun } from './state-store-suite.ts';
import { journalEntry } from './journal-cases.ts';

/** Number of approvals, runs and calls that each process tries to get. */
export const raceSize = 10;

/** A store with the parts that processes race for. */
type RacedStore = StateStoreWith<'approvals' | 'journal' | 'processes'>;

/** Numbers that one process got of each. */
export interface RaceResult {
  readonly decided: readonly number[];
  readonly consumed: readonly number[];
  readonly claimed: readonly number[];
  readonly started: readonly number[];
  /** Values that it changed first; empty for a store without values. */
  readonly changed: readonly number[];
  /** Reservations of a shared budget that it got; empty for a store without budgets. */
  readonly reserved: readonly number[];
}

const numbers: readonly number[] = Array.from({ length: raceSize }, (_, index) => index);
const requests = numbers.map((number) =>
  createApprovalRequest({ id: `approval-${number}`, requestedAt: midnight, expiresAt: midnight + 1_000 }),
);

/** The order to a process to call tools until it is killed. */
export const flood = 'flood';

/** Makes what processes race for. */
export async function prepareRace({ approvals, runs, values }: RacedStore): Promise<void> {
  for (const request of requests) await approvals.create(request);
  for (const number of numbers) await runs.create(newRun(`run-${number}`));
  for (const number of numbers) await values?.put(racedPlace(number), 'before');
}

/** Returns the place of a value that processes change at once. */
export function racedPlace(number: number): ValuePlace {
  return { area: 'race', principal: 'ada', key: `value-${number}` };
}

/** Tries to be the first at everything. */
async function race(
  { approvals, runs, processes, journal, values, budgets }: RacedStore,
  owner: string,
): Promise<RaceResult> {
  await processes.register({ id: owner, deadAfterMs });
  const answer = { decision: 'approved', approver: owner, decidedAt: midnight } as const;
  // Read before any other work, so that both processes know the same revisions.
  const read = await Promise.all(numbers.map(async (number) => values?.get(racedPlace(number))));
  const decided = await won(async (number) => {
    const outcome = await approvals.decide(`approval-${number}`, answer);
    return outcome.status === 'done';
  });
  const consumed = await won(async (number) => {
    const request = requests[number] ?? createApprovalRequest();
    const outcome = await approvals.consume(request.id, request, { consumer: owner, now: midnight });
    return outcome.status === 'done';
  });
  const claimed = await won(async (number) => (await runs.claim(`run-${number}`, { owner })) !== undefined);
  const started = await won(async (number) => {
    const [outcome] = await Promise.allSettled([journal.started(journalEntry('race', number))]);
    return outcome.status === 'fulfilled';
  });
  const changed = await won(async (number) => {
    const before = read[number];
    if (before?.value !== 'before') return false;
    return (await values?.put(racedPlace(number), owner, { ifRevision: before.revision })) !== undefined;
  });
  const reserved = await won(async (number) => {
    if (budgets === undefined) return false;
    const id = `${owner}-${number}`;
    const claims = [{ scope: 'server', name: '', limits: { cost: raceSize } }] as const;
    const times = { now: midnight, expiresAt: midnight + 60_000 };
    return (await budgets.reserve({ id, period: midnight, claims, amounts: { cost: 1 }, ...times })) === undefined;
  });
  return { decided, consumed, claimed, started, changed, reserved };
}

/**
 * Turns this process into one of those that `stateStoreContract` races and kills: it answers its parent over the channel
 * of `child_process.fork` and ends with it. Give it the store that `program` of the options means.
 */
export async function serveStateStoreRaces(store: RacedStore): Promise<void> {
  const tell = (message: object): void => void process.send?.(message);
  const isOver = new Promise<void>((resolve) => {
    process.once('disconnect', resolve);
  });
  process.once('message', (order) => {
    const task = order === flood ? callWithoutEnd(store, tell) : race(store, String(order));
    task.then(
      (result) => tell({ result }),
      (error: unknown) => tell({ error: String(error) }),
    );
  });
  tell({ ready: true });
  await isOver;
  await store[Symbol.asyncDispose]();
}

async function callWithoutEnd({ journal }: RacedStore, tell: (message: object) => void): Promise<never> {
  for (let position = 0; ; position++) {
    const entry = journalEntry(flood, position);
    await journal.started(entry);
    tell({ started: position });
    await journal.finished(entry, { status: 'ok', text: 'done', files: [] });
    tell({ finished: position });
  }
}

async function won(attempt: (number: number) => Promise<boolean>): Promise<readonly number[]> {
  const outcomes = await Promise.all(numbers.map(attempt));
  return numbers.filter((number) => outcomes[number]);
}
