import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BlobRef, BlobStore } from '@ravi/kernel';
import { crashPinOwner } from '../blob-store-crash-child.ts';
import type { CrashOrders, CrashReport } from '../blob-store-crash-child.ts';
import { sha256Of } from './samples.ts';

/** Access of `blobStoreCrashTests` to an adapter and its storage. */
export interface BlobStoreCrashOptions {
  /**
   * A program that opens the store its `crashOrders` name, calls a `createCrashPoint` and runs `runCrashScenario`, all
   * three from `@ravi/testkit/blob-store-crash-child`.
   */
  readonly child: URL;
  /** Names a new, empty medium. */
  newPlace(): string;
  /** Opens the store on a medium. */
  open(place: string): BlobStore | Promise<BlobStore>;
  /** The refs of the blobs on the medium, whether they can be read or not. */
  visibleRefs(place: string): Promise<readonly BlobRef[]>;
  /** Names of writes that are not at their end. */
  unfinished(place: string): Promise<readonly string[]>;
  /** Names of all that is on the medium, visible or not. */
  remains(place: string): Promise<readonly string[]>;
  /** Minimum number of children killed at random points; an even number, default 20. */
  readonly randomKills?: number;
}

const dayMs = 86_400_000;

/**
 * Kills processes that use a store, by SIGKILL: at each instrumented point of each operation, and two at a time at
 * random points. Then every visible blob must be whole, no acknowledged one lost, and nothing left after a sweep. It
 * starts a process for each kill: give `test` a time limit to match.
 */
export function blobStoreCrashTests(
  test: (name: string, body: () => Promise<void>) => unknown,
  options: BlobStoreCrashOptions,
): void {
  const { newPlace, randomKills = 20 } = options;

  test('blob store: a kill at any instrumented point leaves nothing half visible, and nothing after a sweep', async () => {
    let points = 0;
    let isDone = false;
    const lane = async (): Promise<void> => {
      while (!isDone) {
        const killAt = (points += 1);
        const place = newPlace();
        const reports = await runChild(options.child, { place, scenario: 'once', killAt });
        await checkPlace(options, place, reports);
        isDone ||= reports.at(-1)?.event === 'done';
      }
    };
    await Promise.all([lane(), lane()]);
    assert.ok(points > 20, `only ${points} points are instrumented`);
  });

  test('blob store: kills at random points, two processes at a time, lose no acknowledged blob', async () => {
    const place = newPlace();
    const reports: CrashReport[] = [];
    // Kills happen at random moments: repeat until one has interrupted a write.
    const isEnough = async (kills: number): Promise<boolean> =>
      kills >= randomKills && (await options.unfinished(place)).length > 0;
    for (let kill = 0; !(await isEnough(kill)); kill += 2) {
      assert.ok(kill < 10 * randomKills, 'no kill fell into a write');
      // Two at a time: they also sweep under each other's hands. One after some of its steps, one within an operation.
      const pair = [
        runChild(options.child, { place, scenario: 'endless' }, 1 + ((kill * 7) % 13)),
        runChild(options.child, { place, scenario: 'endless', killAt: 1 + ((kill * 5) % 23) }),
      ];
      reports.push(...(await Promise.all(pair)).flat());
    }
    await checkPlace(options, place, reports);
  });
}

/** Runs a child, kills it as soon as it has reported `steps` steps, and gives all that it reported. */
async function runChild(program: URL, orders: CrashOrders, steps?: number): Promise<CrashReport[]> {
  const args = [fileURLToPath(program), JSON.stringify(orders)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.on('close', (_code, signal) => resolve(signal)));
  const reports: CrashReport[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    // The last line may be cut by the kill.
    if (line.endsWith('}')) reports.push(JSON.parse(line) as CrashReport);
    if (reports.length === steps) child.kill('SIGKILL');
  }
  const isDone = reports.at(-1)?.event === 'done';
  assert.equal(await ended, isDone ? null : 'SIGKILL', `the child ended on its own after ${reports.length} steps`);
  return reports;
}

async function checkPlace(
  { open, visibleRefs, remains }: BlobStoreCrashOptions,
  place: string,
  reports: readonly CrashReport[],
): Promise<void> {
  const store: BlobStore & Partial<AsyncDisposable> = await open(place);
  const isWhole = async (ref: BlobRef): Promise<void> => {
    assert.equal(sha256Of(await store.resolve(ref)), (await store.stat(ref))?.sha256);
  };
  try {
    for (const ref of await visibleRefs(place)) await isWhole(ref);
    await checkReports(store, reports);

    const report = await store.sweep(Date.now() + dayMs);
    const kept = await visibleRefs(place);
    assert.equal(report.kept, kept.length);
    await checkReports(store, reports);
    for (const ref of kept) {
      await isWhole(ref);
      assert.ok(((await store.stat(ref))?.pins ?? 0) > 0, 'an unpinned blob survived the sweep');
      await store.delete(ref);
    }
    await store.sweep(Date.now() + dayMs);
    assert.deepEqual(await remains(place), []);
  } finally {
    await store[Symbol.asyncDispose]?.();
  }
}

async function checkReports(store: BlobStore, reports: readonly CrashReport[]): Promise<void> {
  const refsOf = (...events: readonly CrashReport['event'][]): Set<BlobRef> =>
    new Set(reports.filter(({ event }) => events.includes(event)).map(({ ref }) => ref));
  const doomed = refsOf('unpinning', 'deleting');
  for (const { event, ref, sha256 } of reports) {
    if (event === 'deleted') assert.equal(await store.stat(ref), undefined);
    if (event !== 'stored' || doomed.has(ref)) continue;
    assert.equal(sha256Of(await store.resolve(ref)), sha256);
    assert.equal((await store.stat(ref))?.pins, 1, `the pin of ${crashPinOwner} is lost`);
  }
}
