import { writeFile } from 'node:fs/promises';
import { until } from '../../apps/monolith/test/support/run-requests.ts';
import { callingModel, task } from '../../apps/monolith/test/support/sub-agents.ts';
import type { RaviConfig } from '../../packages/host/src/index.ts';
import { startDatabase } from './database.ts';
import { all, figuresOfTimes, none } from './figures.ts';
import type { ScaleOptions, ScaleResult } from './figures.ts';
import { createNotes } from './notes.ts';
import { createScaleServers, endedStatuses, startRun, untilStatus } from './servers.ts';
import type { ScaleServer, ShownRun } from './servers.ts';

/** Effect of a call. */
interface Effect {
  readonly step: number;
  readonly pid: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** A run with its attempts. */
interface HandedRun extends ShownRun {
  readonly attempts: readonly { readonly end?: string }[];
}

const stepsEach = 4;
const config: RaviConfig = {
  plugins: { modelProvider: [{ use: './model.mjs' }] },
  policy: { maxRiskUnapproved: 'high' },
  agent: { maxSteps: 10_000 },
};

/** Source of a tool whose calls have an effect at once and end when the file of the gate has a greater number than theirs. They are never repeated. */
const stepTool = (file: string): string => `
import { appendFile, readFile } from 'node:fs/promises';
export default {
  name: 'step', description: 'Has an effect.', risk: 'high', inputSchema: { type: 'object' },
  async execute({ step }, { signal }) {
    await appendFile(${JSON.stringify(file)}, JSON.stringify({ step, pid: process.pid, at: Date.now() }) + '\\n');
    while (Number(await readFile(${JSON.stringify(gateOf(file))}, 'utf8')) <= step) {
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return { content: [{ type: 'text', text: 'done' }], isError: false };
  },
};`;

function gateOf(file: string): string {
  return `${file}.gate`;
}

/**
 * Stops the owner of an agent's run with SIGTERM in the middle of a call, again and again, and starts another server in its place. A second
 * server is there each time. The run must make each call once and complete, and no attempt may count as a crash.
 */
export async function measureHandovers({ handovers, engine }: ScaleOptions): Promise<readonly ScaleResult[]> {
  await using notes = await createNotes<Effect>();
  // Opened before the tool reads it.
  const openGate = (steps: number): Promise<void> => writeFile(gateOf(notes.file), String(steps));
  await openGate(stepsEach - 1);
  await using database = await startDatabase();
  const files = { 'model.mjs': callingModel, 'tools/step.mjs': stepTool(notes.file) };
  await using servers = await createScaleServers(database.url, engine, files);
  let started: readonly ScaleServer[] = await Promise.all([servers.start(config), servers.start(config)]);
  const steps = (handovers + 1) * stepsEach;
  const calls = Array.from({ length: steps }, (_, step) => [['step', { step }]] as const);
  const runId = await startRun(started[0]?.url ?? '', { kind: 'agent', task: task(...calls) });

  const rests: number[] = [];
  let disorderly = 0;
  for (let handover = 1; handover <= handovers; handover++) {
    const held = handover * stepsEach - 1;
    const { pid } = await notes.first(({ step }) => step === held);
    const owner = started.find((server) => server.pid === pid) as ScaleServer;
    const stoppedAt = Date.now();
    if ((await owner.end('SIGTERM')) !== 0) disorderly += 1;
    await openGate(held + stepsEach);
    const next = await notes.first(({ step }) => step === held + 1);
    rests.push(next.at - stoppedAt);
    started = [...started.filter((server) => server !== owner), await servers.start(config)];
  }
  await openGate(steps);
  const { url = '' } = started[0] ?? {};
  const [run] = await untilStatus([url], [runId], endedStatuses);
  // The model repeats the results of its calls.
  const results = String((await until(url, runId, 'run-end')).text).split(' | ');
  return resultsOf(run as HandedRun, await notes.read(), { handovers, steps, rests, results, disorderly });
}

interface Handed {
  readonly handovers: number;
  readonly steps: number;
  readonly rests: readonly number[];
  readonly results: readonly string[];
  readonly disorderly: number;
}

function resultsOf(
  run: HandedRun,
  effects: readonly Effect[],
  { handovers, steps, rests, results, disorderly }: Handed,
): readonly ScaleResult[] {
  const made = new Set(effects.map(({ step }) => step)).size;
  const attemptsWith = (end: string): number => run.attempts.filter((attempt) => attempt.end === end).length;
  return [
    { name: 'servers that executed the run', value: new Set(effects.map(({ pid }) => pid)).size },
    all('steps with an effect', made, steps),
    none('effects twice', effects.length - made),
    all('results that the model received', results.length, steps),
    { name: 'of these, effect reported as unknown', value: results.filter((result) => result !== 'done').length },
    all('completed runs', Number(run.status === 'completed'), 1),
    all('attempts that ended as suspended', attemptsWith('suspended'), handovers),
    none('attempts that count as crashed', attemptsWith('crashed')),
    none('servers that did not end in order', disorderly),
    ...figuresOfTimes('SIGTERM until the next call on the other server', rests),
  ];
}
