import { approve, pendingOf } from '../../apps/monolith/test/support/run-requests.ts';
import { startDatabase } from './database.ts';
import { all, none } from './figures.ts';
import type { ScaleOptions, ScaleResult } from './figures.ts';
import { createScaleServers, endedStatuses, startScript, untilStatus } from './servers.ts';
import type { ScaleServer, ShownRun } from './servers.ts';

/** Files of a server whose tool has a description. The tool returns the process that calls it. */
const probeFiles = (description: string): Readonly<Record<string, string>> => ({
  'tools/probe.mjs': `
export default {
  name: 'probe', description: '${description}', risk: 'high', inputSchema: { type: 'object' }, outputSchema: { type: 'object' },
  execute: async () => ({ content: [], isError: false, structuredContent: { pid: process.pid } }),
};`,
});
const oldFiles = probeFiles('Probes it.');
const newFiles = probeFiles('Probes it well.');
const script = 'return (await tools.probe({})).pid';

/**
 * Replaces servers by servers whose tool has another description, while runs that use the tool wait for approval. Half of them are answered
 * when both kinds of servers run, through any of them. The others are answered when the old servers have ended; then one of those returns.
 */
export async function measureDeploy({
  deployRuns,
  servers: count,
  engine,
}: ScaleOptions): Promise<readonly ScaleResult[]> {
  await using database = await startDatabase();
  await using servers = await createScaleServers(database.url, engine, {});
  const half = Math.max(1, Math.floor(count / 2));
  const start = (amount: number, files: Readonly<Record<string, string>>): Promise<readonly ScaleServer[]> =>
    Promise.all(Array.from({ length: amount }, () => servers.start({}, files)));

  const olds = await start(half, oldFiles);
  const starting = Array.from({ length: deployRuns }, (_, run) => startScript(olds[run % half] as ScaleServer, script));
  const ids = await Promise.all(starting);
  const parked = await untilStatus(urlsOf(olds), ids, ['paused', ...endedStatuses]);
  const news = await start(Math.max(1, count - half), newFiles);

  const early = ids.slice(0, Math.ceil(deployRuns / 2));
  const late = ids.slice(early.length);
  const answeredAt = performance.now();
  await approveAll([...olds, ...news], early);
  const withBoth = await untilStatus(urlsOf([...olds, ...news]), early, [...endedStatuses, 'blocked']);
  const endedMs = performance.now() - answeredAt;

  await Promise.all(olds.map((server) => server.end('SIGTERM')));
  await approveAll(news, late);
  const withoutOld = await untilStatus(urlsOf(news), late, [...endedStatuses, 'blocked']);
  const [returned] = await start(1, oldFiles);
  const withOneOld = await untilStatus(urlsOf(news), ids, endedStatuses);

  const pids = new Set([...olds, returned].map((server) => server?.pid));
  const isOnOld = ({ status, outcome }: ShownRun): boolean =>
    status === 'completed' && pids.has(Number(outcome?.result?.value));
  const countOf = (runs: readonly ShownRun[], status: string): number =>
    runs.filter((run) => run.status === status).length;
  return [
    all('parked runs that use the tool', countOf(parked, 'paused'), deployRuns),
    {
      name: `of ${early.length}, completed on the old servers while both kinds run`,
      value: withBoth.filter(isOnOld).length,
    },
    { name: 'blocked meanwhile', value: countOf(withBoth, 'blocked') },
    { name: 'time from their answers to that, ms', value: endedMs },
    all('blocked without old servers', countOf(withoutOld, 'blocked'), late.length),
    all('completed on old servers when one has returned', withOneOld.filter(isOnOld).length, deployRuns),
    none('completed with the new tool', countOf(withOneOld, 'completed') - withOneOld.filter(isOnOld).length),
    none('failed', countOf(withOneOld, 'failed')),
  ];
}

function urlsOf(servers: readonly ScaleServer[]): readonly string[] {
  return servers.map(({ url }) => url);
}

/** Approves the calls of runs, each through the next server. */
async function approveAll(servers: readonly ScaleServer[], ids: readonly string[]): Promise<void> {
  for (const [index, id] of ids.entries()) {
    const { url } = servers[index % servers.length] as ScaleServer;
    const [asked] = await pendingOf(url, id, 1);
    await approve(url, asked);
  }
}
