import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../load-test/figures.ts';
import { startKillDatabase } from '../kill/database.ts';
import type { ScaleOptions, ScaleResult } from './figures.ts';
import { createNotes } from './notes.ts';
import { createScaleServers, endedStatuses, startScript, untilStatus } from './servers.ts';

/** Effect of a call: one line of a file. */
interface Effect {
  readonly run: number;
  readonly call: number;
  readonly pid: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

const count = 4;
const leaseMs = 10_000;
const maxP50Ms = 12_000;
const maxRestMs = 20_000;

/** Source of a tool whose calls are not repeated after a crash. */
const stepTool = (file: string): string => `
import { appendFile } from 'node:fs/promises';
export default {
  name: 'step', description: 'Has an effect.', risk: 'high',
  inputSchema: { type: 'object', properties: { run: { type: 'number' }, call: { type: 'number' } }, required: ['run', 'call'] },
  async execute({ run, call }) {
    await appendFile(${JSON.stringify(file)}, JSON.stringify({ run, call, pid: process.pid, at: Date.now() }) + '\\n');
    await new Promise((resolve) => setTimeout(resolve, 100));
    return { content: [{ type: 'text', text: 'done' }], isError: false };
  },
};`;

/** Returns a script whose calls are made one after the other. The effect of a call that was cut off is unknown, so the script continues. */
const scriptOf = (run: number, calls: number): string => `
let unknown = 0;
for (let call = 0; call < ${calls}; call++) {
  try { await tools.step({ run: ${run}, call }); }
  catch (error) { if (error.code !== 'E_CALL_UNKNOWN') throw error; unknown++; }
}
return unknown;`;

/** Fault of two of four servers, or of their database. */
type Fault = 'kill' | 'freeze' | 'cut' | 'restart';
type Measure = (options: ScaleOptions) => Promise<readonly ScaleResult[]>;

/** Kills two of four servers at once while each executes scripts, and measures how long their scripts rest until another server makes a call of them. */
export const measureTakeovers: Measure = (options) => measureFault('kill', options);

/** The same while the two are frozen for longer than it takes to count as dead. They continue, and must change nothing then. */
export const measureFreezes: Measure = (options) => measureFault('freeze', options);

/** The same while the two do not reach the database. */
export const measureCuts: Measure = (options) => measureFault('cut', options);

/** Stops the database for a while. All servers keep their scripts. */
export const measureRestarts: Measure = (options) => measureFault('restart', options);

async function measureFault(fault: Fault, options: ScaleOptions): Promise<readonly ScaleResult[]> {
  const { runs, calls, processes, engine, freezeSeconds, cutSeconds, downSeconds } = options;
  await using notes = await createNotes<Effect>();
  await using database = await startKillDatabase(count);
  const [url = ''] = database.urls;
  await using servers = await createScaleServers(url, engine, { 'tools/step.mjs': stepTool(notes.file) });
  const config = {
    policy: { maxRiskUnapproved: 'high' },
    runs: { leaseMs },
    plugins: { sandbox: { use: '@ravi/sandbox-isolated-vm', maxProcesses: processes } },
  } as const;
  const started = await Promise.all(database.urls.map((ownUrl) => servers.start(config, {}, ownUrl)));
  const ids = await Promise.all(
    Array.from({ length: runs }, (_, run) =>
      startScript(started[run % count] as (typeof started)[0], scriptOf(run, calls)),
    ),
  );
  while ((await notes.read()).length < (runs * calls) / 4) await pause(20);
  const hit = fault === 'restart' ? [] : started.slice(0, 2);
  const living = started.filter((server) => !hit.includes(server));
  const faultAt = Date.now();
  if (fault === 'kill') await Promise.all(hit.map((server) => server.end('SIGKILL')));
  if (fault === 'freeze') await Promise.all(hit.map(({ pid }) => freeze(pid, freezeSeconds)));
  if (fault === 'cut') await Promise.all(hit.map((_, server) => database.cut(server, cutSeconds * 1_000)));
  if (fault === 'restart') await database.restart(downSeconds * 1_000);
  const absent = new Set(hit.map(({ pid }) => pid));
  const shown = await untilStatus(
    living.map(({ url }) => url),
    ids,
    [...endedStatuses, 'blocked'],
  );
  const effects = await notes.read();
  const rests: number[] = [];
  for (const run of ids.keys()) {
    const next = effects.find((effect) => effect.run === run && effect.at > faultAt && !absent.has(effect.pid));
    const isHit = run % count < hit.length || fault === 'restart';
    if (isHit && next !== undefined) rests.push(next.at - faultAt);
  }
  const sorted = Float64Array.from(rests).sort();
  const times = new Map<string, number>();
  for (const { run, call } of effects) times.set(`${run} ${call}`, (times.get(`${run} ${call}`) ?? 0) + 1);
  const twice = [...times.values()].filter((each) => each > 1).length;
  const notCompleted = shown.filter(({ status }) => status !== 'completed').length;
  const unknown = shown.reduce((sum, { outcome }) => sum + Number(outcome?.result?.value ?? 0), 0);
  const lost = Math.max(0, runs * calls - times.size - unknown);
  return [
    ...(fault === 'restart' ? restsAtAll(sorted) : restsOfTakeovers(sorted)),
    { name: 'calls whose effect happened twice', value: twice, isReached: twice === 0, goal: '0' },
    { name: 'calls without an effect', value: runs * calls - times.size },
    { name: 'calls whose effect is reported as unknown', value: unknown },
    { name: 'calls neither made nor reported', value: lost, isReached: lost === 0, goal: '0' },
    { name: 'runs that did not complete', value: notCompleted, isReached: notCompleted === 0, goal: '0' },
  ];
}

function restsAtAll(sorted: Float64Array): readonly ScaleResult[] {
  return [
    { name: 'runs that made a call after the stop of the database', value: sorted.length },
    { name: 'time from the stop to the next call of a run, longest, ms', value: sorted.at(-1) ?? 0 },
  ];
}

function restsOfTakeovers(sorted: Float64Array): readonly ScaleResult[] {
  const goalOf = (value: number, most: number): Pick<ScaleResult, 'value' | 'isReached' | 'goal'> => ({
    value,
    isReached: value <= most,
    goal: `${most} ms`,
  });
  return [
    {
      name: 'runs of the two servers that another one continued',
      value: sorted.length,
      isReached: sorted.length > 0,
      goal: 'some',
    },
    { name: 'rest of such a run until its next call, p50 ms', ...goalOf(percentile(sorted, 0.5), maxP50Ms) },
    { name: 'rest, p99 ms', ...goalOf(percentile(sorted, 0.99), maxRestMs) },
    { name: 'rest, longest, ms', ...goalOf(sorted.at(-1) ?? 0, maxRestMs) },
  ];
}

async function freeze(pid: number, seconds: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await pause(seconds * 1_000);
  process.kill(pid, 'SIGCONT');
}
