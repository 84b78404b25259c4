import { equal, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import searchPlugin from '@ravi/tools-search';
import { rgPath } from '@vscode/ripgrep';
import { openFilePeers } from './file-peers.ts';
import type { FilePeer } from './file-peers.ts';
import { timed } from './interleave.ts';
import type { Contender } from './interleave.ts';
import { openTools } from './open-tools.ts';
import type { OpenTools } from './open-tools.ts';
import type { BenchGroup, BenchRow } from './row.ts';
import { rowsOf } from './rows-of.ts';
import type { Measurement } from './rows-of.ts';

const folders = 1000;
const filesPerFolder = 100;
const total = folders * filesPerFolder;
const line = 'export const value = compute(previous, 42);\n';
const shared = { group: 'search', unit: 'ms', goal: '≤ 1.3× floor' };
const ripgrepOptions = ['--no-config', '--hidden', '--glob=!.git'];

/** Measures `glob` and `grep` in a script over 100 000 files, next to ripgrep itself, what Node and GNU have, and the tools of other projects. */
export const benchSearch: BenchGroup = async ({ rounds }) => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'ravi-bench-search-')));
  const peers = await openFilePeers(root);
  try {
    await writeFiles(root);
    await using ours = await openTools(searchPlugin, { root }, root);
    const rows: BenchRow[] = [];
    for (const measurement of measurements(root, ours, peers)) rows.push(...(await rowsOf(measurement, rounds)));
    return rows;
  } finally {
    for (const peer of peers) await peer[Symbol.asyncDispose]();
    await rm(root, { recursive: true, force: true });
  }
};

function measurements(root: string, ours: OpenTools, peers: readonly FilePeer[]): readonly Measurement[] {
  const contender = (name: string, work: () => Promise<unknown>): Contender => ({ name, measure: () => timed(work) });
  const script = (call: string, expected: number): Contender =>
    contender('script', async () => equal(await ours.script(`return (await ${call}).total;`), expected));
  const lines = (text: string, ending: RegExp): number => text.split('\n').filter((each) => ending.test(each)).length;
  return [
    {
      ...shared,
      name: `glob of ${total} files, half of them match`,
      ours: script("tools.glob({ pattern: '*.ts' })", total / 2),
      floor: contender('ripgrep itself', () => run(root, rgPath, [...ripgrepOptions, '--files', '--glob=*.ts', './'])),
      peers: [
        contender('fs.glob of Node', () => listWithNode(root)),
        ...peers.map((peer) => contender(peer.name, async () => ok(lines(await peer.glob(), /\.ts$/u) > 0))),
      ],
    },
    {
      ...shared,
      name: `grep of ${total} files, ${folders} of them match`,
      ours: script(String.raw`tools.grep({ pattern: 'need[l]e \\d+' })`, folders),
      floor: contender('ripgrep itself', () =>
        run(root, rgPath, [...ripgrepOptions, '--line-number', String.raw`--regexp=need[l]e \d+`, './']),
      ),
      peers: [
        contender('GNU grep', () => run(root, 'grep', ['-rnE', 'need[l]e [0-9]+', './'])),
        ...peers.flatMap(({ name, grep }) =>
          grep === undefined
            ? []
            : [contender(name, async () => ok(lines(await grep(String.raw`need[l]e \d+`), /needle \d+$/u) > 0))],
        ),
      ],
    },
  ];
}

async function writeFiles(root: string): Promise<void> {
  for (let folder = 0; folder < folders; folder += 1) {
    const path = join(root, `package-${folder % 20}`, `folder-${folder}`);
    await mkdir(path, { recursive: true });
    const names = Array.from(
      { length: filesPerFolder },
      (_, index) => `file-${index}.${index % 2 === 0 ? 'ts' : 'json'}`,
    );
    await Promise.all(
      names.map((name, index) =>
        writeFile(join(path, name), line.repeat(20) + (index === 0 ? `needle ${folder}\n` : '')),
      ),
    );
  }
}

async function listWithNode(cwd: string): Promise<void> {
  let count = 0;
  for await (const _ of glob('**/*.ts', { cwd })) count += 1;
  if (count !== total / 2) throw new Error(`fs.glob found ${count} of ${total / 2}`);
}

// The output is read and thrown away: what is left is the program's own time.
async function run(cwd: string, program: string, argv: readonly string[]): Promise<void> {
  const child = spawn(program, argv, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.resume();
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}
