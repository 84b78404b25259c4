import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { loadChains } from './load-test/chains.ts';
import { loadEventReaders } from './load-test/event-readers.ts';
import type { Figures } from './load-test/figures.ts';
import { startLoadedServer } from './load-test/loaded-server.ts';
import type { LoadedServer } from './load-test/loaded-server.ts';
import { loadReads } from './load-test/reads.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const megabyte = 1_048_576;

/** Two sizes of the load: the full test, and one small enough to run on every change. */
const sizes = values.quick
  ? { seconds: 1, perSecond: 300, connections: 20, readers: 100, calls: 40, chains: 30, maxGrowthBytes: 400 * megabyte }
  : {
      seconds: 10,
      perSecond: 5_000,
      connections: 64,
      readers: 1_000,
      calls: 200,
      chains: 200,
      maxGrowthBytes: 800 * megabyte,
    };

/** Runs the loads one after the other. */
const loads: readonly ((url: string) => Promise<readonly Figures[]>)[] = [
  async (url) => [await loadReads(url, { ...sizes, path: '/v1/tools' })],
  async (url) => [await loadReads(url, { path: '/v1/tools', connections: sizes.connections, seconds: sizes.seconds })],
  (url) => loadEventReaders(url, sizes),
  async (url) => [await loadChains(url, { count: sizes.chains })],
];

const faults: string[] = [];
await using server = await startLoadedServer();
// A fresh process still compiles its code, which is not the state that users wait for.
await loadReads(server.url, { path: '/v1/tools', connections: sizes.connections, seconds: sizes.seconds / 5 });
console.log(`${availableParallelism()} cores, load average ${loadavg()[0]?.toFixed(1)} before it began\n`);
console.log(row(['load', 'right', 'wrong', 'per second', 'p50 ms', 'p99 ms', 'max ms', 'lag p99 ms', 'lag max ms']));
console.log(row(['---', ...Array.from({ length: 8 }, () => '---:')]));
for (const load of loads) await bear(server, load);

const { start, peak } = server.memory;
const end = server.memory.now();
console.log(
  `\nresident memory: ${inMegabytes(start)} at the start, ${inMegabytes(peak)} at most, ${inMegabytes(end)} at the end`,
);
if (peak - start > sizes.maxGrowthBytes) faults.push(`memory grew by ${inMegabytes(peak - start)}`);
const exit = await server.stop();
if (exit !== 0) faults.push(`the server ended with ${exit}`);
for (const fault of faults) console.error(`FAULT ${fault}`);
if (faults.length === 0) console.log('nothing was lost, and no status was wrong');
process.exitCode = faults.length === 0 ? 0 : 1;

async function bear({ url, lag }: LoadedServer, load: (url: string) => Promise<readonly Figures[]>): Promise<void> {
  await lag();
  const all = await load(url);
  const late = await lag();
  for (const { what, done, faults: wrong, perSecond, p50, p99, max } of all) {
    const wrongs = [...wrong].reduce((sum, [, count]) => sum + count, 0);
    const times = [p50, p99, max, late.p99, late.max].map((time) => time.toFixed(1));
    console.log(row([what, String(done), String(wrongs), perSecond.toFixed(0), ...times]));
    for (const [reason, count] of wrong) faults.push(`${what}: ${count} times ${reason}`);
  }
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / megabyte)} MB`;
}
