import { setTimeout as pause } from 'node:timers/promises';
import { as, secrets, sha256 } from '../../apps/monolith/test/support/callers.ts';
import { callingModel, task } from '../../apps/monolith/test/support/sub-agents.ts';
import type { RaviConfig } from '../../packages/host/src/index.ts';
import { percentile } from '../load-test/figures.ts';
import { startDatabase } from './database.ts';
import type { ScaleOptions, ScaleResult } from './figures.ts';
import { createNotes } from './notes.ts';
import type { Notes } from './notes.ts';
import { createScaleServers, inLanes } from './servers.ts';

/** Call of a run. */
interface Call {
  readonly run: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

const runsOfB = 10;
const startedAtOnce = 16;
const maxFirstCallMs = 2_000;
const giveUpMs = 120_000;
/** Time of a call of the first principal, whose runs hold their slots for long, and of the other one. */
const longMs = 10_000;
const shortMs = 250;

/** Tool that writes a line for each call of a run, and takes the time that the call names. */
const stepTool = (file: string): string => `
import { appendFile } from 'node:fs/promises';
export default {
  name: 'step', description: 'Has an effect.', risk: 'high', inputSchema: { type: 'object' },
  async execute({ run, ms }) {
    await appendFile(${JSON.stringify(file)}, JSON.stringify({ run, at: Date.now() }) + '\\n');
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { content: [{ type: 'text', text: 'done' }], isError: false };
  },
};`;

const configWith = (slots: number): RaviConfig => ({
  plugins: { modelProvider: [{ use: './model.mjs' }] },
  policy: { maxRiskUnapproved: 'high' },
  runs: { maxWaitingRuns: 1_000_000, slots: { agents: slots } },
  server: {
    requestsPerMinute: 1_000_000,
    tokens: (['ada', 'bob'] as const).map((principal) => ({
      principal,
      tokenSha256: sha256(secrets[principal]),
      roles: ['run' as const],
    })),
  },
});

/** One principal starts many runs of an agent, then another one starts ten: how long do those wait until their first call? */
export async function measureFairness({
  queuedRuns,
  slots,
  servers: count,
  engine,
}: ScaleOptions): Promise<readonly ScaleResult[]> {
  await using notes = await createNotes<Call>();
  await using database = await startDatabase();
  const files = { 'model.mjs': callingModel, 'tools/step.mjs': stepTool(notes.file) };
  await using servers = await createScaleServers(database.url, engine, files);
  const urls = (await Promise.all(Array.from({ length: count }, () => servers.start(configWith(slots))))).map(
    ({ url }) => url,
  );

  await inLanes(startedAtOnce, queuedRuns, (run) => start(urls, 'ada', run));
  const waiting = Number(
    (await database.all(`SELECT count(*) AS waiting FROM ravi_runs WHERE epoch = 0`))[0]?.['waiting'],
  );

  const startedAt = new Map<number, number>();
  for (let run = queuedRuns; run < queuedRuns + runsOfB; run += 1) {
    startedAt.set(run, Date.now());
    await start(urls, 'bob', run);
  }
  const calledAt = await untilCalled(notes, [...startedAt.keys()]);
  const waits = [...startedAt].flatMap(([run, at]) => {
    const called = calledAt.get(run);
    return called === undefined ? [] : [called - at];
  });
  const sorted = Float64Array.from(waits).sort();
  const p95 = percentile(sorted, 0.95);
  const left = Number(
    (await database.all(`SELECT count(*) AS waiting FROM ravi_runs WHERE epoch = 0`))[0]?.['waiting'],
  );
  return [
    { name: `runs of A that waited for a slot when B began, of ${queuedRuns}`, value: waiting },
    { name: 'of these when the last run of B made its call', value: left },
    {
      name: 'runs of B that made a call',
      value: waits.length,
      isReached: waits.length === runsOfB,
      goal: `all ${runsOfB}`,
    },
    { name: 'time of B until its first call, p50 ms', value: percentile(sorted, 0.5) },
    { name: 'the same, p95 ms', value: p95, isReached: p95 <= maxFirstCallMs, goal: `${maxFirstCallMs} ms` },
  ];
}

async function start(urls: readonly string[], principal: 'ada' | 'bob', run: number): Promise<void> {
  const response = await fetch(`${urls[run % urls.length]}/v1/runs`, {
    method: 'POST',
    headers: { ...as(principal), 'content-type': 'application/json' },
    body: JSON.stringify({
      kind: 'agent',
      task: task([['step', { run, ms: principal === 'ada' ? longMs : shortMs }]]),
    }),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`POST /v1/runs returned ${response.status}: ${text}`);
}

/** Returns the time of the first call of each run that makes one in time. */
async function untilCalled(notes: Notes<Call>, runs: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const giveUpAt = Date.now() + giveUpMs;
  for (;;) {
    const found = new Map<number, number>();
    for (const { run, at } of await notes.read()) {
      if (!found.has(run)) found.set(run, at);
    }
    if (runs.every((run) => found.has(run)) || Date.now() > giveUpAt) return found;
    await pause(20);
  }
}
