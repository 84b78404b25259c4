import { setTimeout as pause } from 'node:timers/promises';
import { cancel } from '../../apps/monolith/test/support/hanging-tool.ts';
import { callingModel, task } from '../../apps/monolith/test/support/sub-agents.ts';
import type { RaviConfig } from '../../packages/host/src/index.ts';
import { connectToPostgres } from '../lib/postgres.ts';
import { startDatabase } from './database.ts';
import type { Database } from './database.ts';
import { figuresOfTimes, none } from './figures.ts';
import type { ScaleOptions, ScaleResult } from './figures.ts';
import { createNotes } from './notes.ts';
import type { Notes } from './notes.ts';
import { createScaleServers, endedStatuses, inLanes, readRun, startRun, untilStatus } from './servers.ts';
import type { ScaleServer } from './servers.ts';

/** Note of a tool: a call has begun, or saw that it was cancelled. */
interface Note {
  readonly run: number;
  readonly what: 'begun' | 'aborted';
  readonly pid: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Times from the request to cancel a run, in milliseconds. */
interface Cancelled {
  readonly status: string;
  readonly endedMs: number;
  /** Absent if no call of the run saw its signal, or none was running. */
  readonly abortedMs?: number;
}

const lanes = 8;
const maxMs = 1_000;
const giveUpMs = 30_000;
const config: RaviConfig = {
  plugins: { modelProvider: [{ use: './model.mjs' }] },
  policy: { maxRiskUnapproved: 'high' },
};

const holdTool = (file: string): string => `
import { appendFile } from 'node:fs/promises';
const note = (run, what) =>
  appendFile(${JSON.stringify(file)}, JSON.stringify({ run, what, pid: process.pid, at: Date.now() }) + '\\n');
export default {
  name: 'hold', description: 'Works until it is cancelled.', risk: 'high', inputSchema: { type: 'object' },
  async execute({ run }, { signal }) {
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await note(run, 'begun');
    if (!signal.aborted) await aborted;
    await note(run, 'aborted');
    signal.throwIfAborted();
  },
};`;

/** Starts runs on servers and cancels each through a server that does not execute it: agents and scripts in a call, then agents that wait for approval. */
export async function measureCancel({
  cancels,
  servers: count,
  engine,
}: ScaleOptions): Promise<readonly ScaleResult[]> {
  await using notes = await createNotes<Note>();
  await using database = await startDatabase();
  const files = { 'model.mjs': callingModel, 'tools/hold.mjs': holdTool(notes.file) };
  await using servers = await createScaleServers(database.url, engine, files);
  const started = await Promise.all(Array.from({ length: count }, () => servers.start(config)));

  const calling = await inLanes(lanes, cancels, (run) => cancelCall(started, { database, notes }, run));
  const waiting = await inLanes(lanes, cancels, (run) => cancelWaiting(started, database, run));
  const aborts = calling.flatMap(({ abortedMs }) => abortedMs ?? []);
  return [
    ...resultsOf('runs in a call', calling),
    none('calls that did not see it', calling.length - aborts.length),
    ...figuresOfTimes('request until its call sees it', aborts, maxMs),
    ...resultsOf('runs that wait for approval', waiting),
  ];
}

function resultsOf(kind: string, runs: readonly Cancelled[]): readonly ScaleResult[] {
  const times = runs.map(({ endedMs }) => endedMs);
  return [
    { name: `${kind}, cancelled through another server`, value: runs.length },
    none(`${kind}, not cancelled`, runs.filter(({ status }) => status !== 'cancelled').length),
    ...figuresOfTimes(`${kind}: request until it is cancelled`, times, maxMs),
  ];
}

/** Starts every second run as a script. */
async function cancelCall(
  started: readonly ScaleServer[],
  { database, notes }: { readonly database: Database; readonly notes: Notes<Note> },
  run: number,
): Promise<Cancelled> {
  const body =
    run % 2 === 0
      ? { kind: 'agent', task: task([['hold', { run }]]) }
      : { kind: 'chain', code: `await tools.hold({ run: ${run} })` };
  const runId = await startRun(nextOf(started, run).url, body);
  const begun = await notes.first((note) => note.run === run && note.what === 'begun');
  // Any server may execute it.
  const others = started.filter(({ pid }) => pid !== begun.pid);
  const requestedAt = Date.now();
  const cancelled = await cancelThrough(nextOf(others, run), database, runId);
  // Without a note the call counts as one that did not see it.
  const aborted = await notes.first((note) => note.run === run && note.what === 'aborted').catch(() => undefined);
  return { ...cancelled, ...(aborted === undefined ? {} : { abortedMs: aborted.at - requestedAt }) };
}

async function cancelWaiting(started: readonly ScaleServer[], database: Database, run: number): Promise<Cancelled> {
  const { url } = nextOf(started, run);
  const runId = await startRun(url, { kind: 'agent', task: task([['detonate', {}]]) });
  await untilStatus([url], [runId], ['paused', ...endedStatuses]);
  return cancelThrough(nextOf(started, run + 1), database, runId);
}

/** Cancels a run through a server, waits until the store has its end, and reads it through the server. */
async function cancelThrough({ url }: ScaleServer, database: Database, runId: string): Promise<Cancelled> {
  await using client = await connectToPostgres(database.url);
  const requestedAt = performance.now();
  const { status, body } = await cancel(url, `runs/${runId}`);
  if (status !== 202) throw new Error(`Cancelling ${runId} returned ${status}: ${JSON.stringify(body)}`);
  const giveUpAt = Date.now() + giveUpMs;
  let isEnded = false;
  // Reads through a server would keep it busy.
  while (!isEnded && Date.now() < giveUpAt) {
    await pause(10);
    const [row] = await client.query('SELECT status FROM ravi.ravi_runs WHERE id = $1', [runId]);
    isEnded = endedStatuses.includes(String(row?.['status']));
  }
  const endedMs = performance.now() - requestedAt;
  return { status: (await readRun(url, runId)).status, endedMs };
}

function nextOf(servers: readonly ScaleServer[], run: number): ScaleServer {
  return servers[run % servers.length] as ScaleServer;
}
