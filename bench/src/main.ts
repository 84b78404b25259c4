import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isReached } from './goal.ts';
import { describeMachine } from './machine.ts';
import { formatMarkdown } from './markdown.ts';
import type { BenchRow, BenchGroup } from './row.ts';
import { formatTable } from './table.ts';

/** Groups in the order in which they run; each is loaded only when it runs. */
const groups: Readonly<Record<string, () => Promise<BenchGroup>>> = {
  floors: async () => (await import('./floors/floors.ts')).benchFloors,
  invoker: async () => (await import('./invoker.ts')).benchInvoker,
  hostile: async () => (await import('./hostile.ts')).benchHostile,
  journal: async () => (await import('./journal.ts')).benchJournal,
  events: async () => (await import('./events.ts')).benchEvents,
  processes: async () => (await import('./processes.ts')).benchProcesses,
  durable: async () => (await import('./durable.ts')).benchDurable,
  loop: async () => (await import('./loop/loop.ts')).benchLoop,
  sandboxes: async () => (await import('./sandboxes/sandboxes.ts')).benchSandboxes,
  'sandbox-alone': async () => (await import('./sandboxes/sandboxes.ts')).benchBareSandbox,
  'sandbox-remote': async () => (await import('./sandboxes/sandboxes.ts')).benchRemoteSandbox,
  transfers: async () => (await import('./sandboxes/sandboxes.ts')).benchTransfers,
  docker: async () => (await import('./sandboxes/sandboxes.ts')).benchDocker,
  memory: async () => (await import('./memory/memory.ts')).benchMemory,
  discovery: async () => (await import('./discovery.ts')).benchDiscovery,
  preflight: async () => (await import('./preflight.ts')).benchPreflight,
  decode: async () => (await import('./decode-streams.ts')).benchDecode,
  tokens: async () => (await import('./tokens/tokens.ts')).benchTokens,
  mcp: async () => (await import('./mcp.ts')).benchMcp,
  'mcp-gateway': async () => (await import('./mcp-gateway.ts')).benchMcpGateway,
  blobs: async () => (await import('./blobs.ts')).benchBlobs,
  search: async () => (await import('./search.ts')).benchSearch,
  s3: async () => (await import('./s3.ts')).benchS3,
  files: async () => (await import('./files.ts')).benchFiles,
};

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    group: { type: 'string', multiple: true, default: Object.keys(groups) },
    json: { type: 'string' },
    markdown: { type: 'boolean', default: false },
  },
});
const unknown = flags.group.filter((name) => !Object.hasOwn(groups, name));
if (unknown.length > 0) {
  console.error(`No group is named ${unknown.join(', ')}. There are: ${Object.keys(groups).join(', ')}`);
  process.exit(2);
}

const rounds = Number(flags.rounds ?? (flags.quick ? 3 : 7));
if (!Number.isSafeInteger(rounds) || rounds < 1) {
  console.error(`--rounds must be a whole number from 1, got "${flags.rounds}"`);
  process.exit(2);
}
const date = new Date().toISOString();
const machine = describeMachine();
const gigabytes = (machine.memoryBytes / 2 ** 30).toFixed(0);
console.log(
  `${date} · ${machine.system} · ${machine.cores} × ${machine.processor} · ${gigabytes} GB · load ${machine.load}`,
);
console.log(`Node ${machine.node} · medians of ${rounds} interleaved rounds`);
console.log(
  `compared with ${Object.entries(machine.peers)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}\n`,
);

const rows: BenchRow[] = [];
for (const [name, load] of Object.entries(groups)) {
  if (!flags.group.includes(name)) continue;
  const measured = await (await load())({ rounds });
  console.log(`${flags.markdown ? formatMarkdown(measured) : formatTable(measured)}\n`);
  rows.push(...measured);
}

const results = rows.map((row) => ({ ...row, reached: isReached(row) }));
const missed = results.filter(({ reached }) => reached === false);
const judged = results.filter(({ reached }) => reached !== undefined);
console.log(`${judged.length - missed.length} of ${judged.length} goals reached`);

const file = flags.json ?? fileURLToPath(new URL(`../results/${date.replaceAll(':', '-')}.json`, import.meta.url));
await mkdir(dirname(file), { recursive: true });
await writeFile(file, `${JSON.stringify({ date, rounds, machine, rows: results }, undefined, 2)}\n`);
console.log(`written to ${relative(process.cwd(), file)}`);
