import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { defineTool } from '@ravi/kernel';
import type { CompleteStateStore } from '@ravi/kernel';
import { createPostgresStateStore } from '@ravi/state-postgres';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { postgresForTests } from '@ravi/state-testing';
import type { BenchGroup, BenchRow } from './row.ts';
import type { Contender } from './interleave.ts';
import { median } from './interleave.ts';
import { rowsOf } from './rows-of.ts';

const calls = 1_000;
const together = 8;

interface Medium {
  readonly name: string;
  readonly store: CompleteStateStore;
  readonly isGoal: boolean;
}

/** Measures the cost of recording calls with side effects before they start and after they end. */
export const benchJournal: BenchGroup = async ({ rounds }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ravi-bench-journal-'));
  await using server = await postgresForTests();
  const media: Medium[] = [
    { name: 'SQLite', store: await createSqliteStateStore({ file: join(folder, 'disk.db') }), isGoal: true },
    {
      name: 'SQLite, durability process',
      store: await createSqliteStateStore({ file: join(folder, 'process.db'), durability: 'process' }),
      isGoal: false,
    },
  ];
  if (server.url !== undefined) {
    media.push({ name: 'PostgreSQL', store: await createPostgresStateStore({ url: server.url }), isGoal: false });
  }
  const flush: Contender = { name: 'flush of 4 KB', measure: async () => flushUs(join(folder, 'floor')) };
  try {
    const rows: BenchRow[] = [];
    for (const medium of media) rows.push(...(await rowsOfMedium(medium, flush, rounds)));
    return rows;
  } finally {
    for (const { store } of media) await store[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
};

async function rowsOfMedium(
  { name, store, isGoal }: Medium,
  floor: Contender,
  rounds: number,
): Promise<readonly BenchRow[]> {
  const plain: Contender = { name: 'no journal', measure: async () => (await timesOf(undefined, 1)).medianUs };
  const alone = await rowsOf(
    {
      group: 'journal',
      name: `${name}: a call, one after the other, p50`,
      unit: 'µs',
      ours: { name: 'journalled', measure: async () => (await timesOf(store, 1)).medianUs },
      peers: [plain],
      floor,
    },
    rounds,
  );
  const share = await rowsOf(
    {
      group: 'journal',
      name: `${name}: time per call, ${together} at once`,
      unit: 'µs',
      ...(isGoal ? { goal: '≤ 150 µs' } : {}),
      ours: { name: 'journalled', measure: async () => 1e6 / (await timesOf(store, together)).callsPerSecond },
      peers: [{ name: 'no journal', measure: async () => 1e6 / (await timesOf(undefined, together)).callsPerSecond }],
    },
    rounds,
  );
  const rate = await rowsOf(
    {
      group: 'journal',
      name: `${name}: ${together} at once`,
      unit: 'calls/s',
      ...(isGoal ? { goal: '≥ 5 000 calls/s' } : {}),
      ours: { name: 'journalled', measure: async () => (await timesOf(store, together)).callsPerSecond },
    },
    rounds,
  );
  return [...alone, ...share, ...rate];
}

interface Times {
  readonly medianUs: number;
  readonly callsPerSecond: number;
}

/** Runs a session of 1 000 calls with a side effect, `width` at once. */
async function timesOf(store: CompleteStateStore | undefined, width: number): Promise<Times> {
  const invoker = new ToolInvoker({
    registry: new Toolbox([send]),
    policy: { maxToolCalls: calls, maxRiskUnapproved: 'high' },
    ...(store === undefined ? {} : { journal: store.journal }),
  });
  await using session = invoker.openSession();
  const times: number[] = [];
  const start = performance.now();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let call = 0; call < calls / width; call++) {
        const before = performance.now();
        const { status } = await invoker.invoke({ name: 'send', args: { to: 'grace' } }, { session });
        if (status !== 'ok') throw new TypeError(`A call ended with ${status}`);
        times.push((performance.now() - before) * 1_000);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1_000;
  const written = store === undefined ? calls : (await store.journal.entries(session.runId)).items.length;
  if (written !== calls) throw new TypeError(`${written} of ${calls} calls are on record`);
  return { medianUs: median(times), callsPerSecond: calls / seconds };
}

const send = defineTool({
  name: 'send',
  description: 'Sends nothing',
  risk: 'high',
  inputSchema: {
    type: 'object',
    properties: { to: { type: 'string' } },
    required: ['to'],
    additionalProperties: false,
  },
  execute: async () => 'sent',
});

/** Measures microseconds until 4 KB are appended to a file and flushed: the disk is not faster. */
function flushUs(path: string): number {
  const file = openSync(path, 'a');
  const block = Buffer.alloc(4_096, 1);
  const times: number[] = [];
  for (let write = 0; write < 200; write++) {
    const before = performance.now();
    writeSync(file, block);
    fdatasyncSync(file);
    times.push((performance.now() - before) * 1_000);
  }
  closeSync(file);
  return median(times);
}
