import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLocalTool, silentLogger, systemClock } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import { runTool } from '@ravi/testkit';
import searchTools from '@ravi/tools-search';
import { rgPath } from '@vscode/ripgrep';
import type { BenchGroup, BenchRow } from './row.ts';
import { rowsOf } from './rows-of.ts';

const folders = 1000;
const filesPerFolder = 100;
const total = folders * filesPerFolder;
const line = 'export const value = compute(previous, 42);\n';
const goal = '≤ 1.3× floor';

/** Measures `glob` and `grep` through the invoker over 100 000 files, next to ripgrep itself and to what Node and GNU have. */
export const benchSearch: BenchGroup = async ({ rounds }) => {
  const root = await mkdtemp(join(tmpdir(), 'ravi-bench-search-'));
  try {
    await writeFiles(root);
    const source = await searchTools.create({ root }, { baseDir: root, clock: systemClock, logger: silentLogger });
    await using open = await source.open({ signal: new AbortController().signal, onChange: () => {} });
    const tools = new Map(
      open
        .content()
        .tools.filter(isLocalTool)
        .map((tool) => [tool.name, tool]),
    );
    const ours = (name: string, args: JsonObject, expected: number): (() => Promise<number>) =>
      timed(async () => {
        const tool = tools.get(name);
        if (tool === undefined) throw new Error(`There is no tool ${name}`);
        const { result } = await runTool(tool, args);
        const found = (result.structured as { readonly total: number }).total;
        if (found !== expected) throw new Error(`${name} found ${found} of ${expected}`);
      });
    const scenes = [
      {
        name: `glob of ${total} files, half of them match`,
        ours: ours('glob', { pattern: '*.ts' }, total / 2),
        floor: run(root, rgPath, ['--no-config', '--files', '--hidden', '--glob=!.git', '--glob=*.ts', './']),
        peer: {
          name: 'fs.glob of Node',
          measure: timed(() => listWithNode(root)),
        },
      },
      {
        name: `grep of ${total} files, 1000 of them match`,
        ours: ours('grep', { pattern: 'need[l]e \\d+' }, folders),
        floor: run(root, rgPath, [
          '--no-config',
          '--line-number',
          '--hidden',
          '--glob=!.git',
          '--regexp=need[l]e \\d+',
          './',
        ]),
        peer: { name: 'GNU grep', measure: run(root, 'grep', ['-rnE', 'need[l]e [0-9]+', './']) },
      },
    ];
    const rows: BenchRow[] = [];
    for (const { name, ours: measure, floor, peer } of scenes) {
      const measurement = { group: 'search', name, unit: 'ms', goal, ours: { name: 'ours', measure }, peers: [peer] };
      rows.push(...(await rowsOf({ ...measurement, floor: { name: 'ripgrep itself', measure: floor } }, rounds)));
    }
    return rows;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
};

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

function timed(work: () => Promise<void>): () => Promise<number> {
  return async () => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
}

// The output is read and thrown away: what is left is the program's own time.
function run(cwd: string, program: string, argv: readonly string[]): () => Promise<number> {
  return timed(async () => {
    const child = spawn(program, argv, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.resume();
    const [code] = (await once(child, 'close')) as [number];
    if (code !== 0) throw new Error(`${program} ended with ${code}`);
  });
}
