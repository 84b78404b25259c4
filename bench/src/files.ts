import { equal, match } from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import filesPlugin from '@ravi/tools-files';
import { openFilePeers } from './file-peers.ts';
import type { FilePeer } from './file-peers.ts';
import { timed } from './interleave.ts';
import type { Contender } from './interleave.ts';
import { openTools } from './open-tools.ts';
import type { OpenTools } from './open-tools.ts';
import type { BenchGroup, BenchRow } from './row.ts';
import { rowsOf } from './rows-of.ts';
import type { Measurement } from './rows-of.ts';

const fileCount = 1_000;
const largeBytes = 5_242_880;
const options = { maxFileBytes: 67_108_864, maxReadBytes: 8_388_608, requireRead: true };
const names: readonly string[] = Array.from({ length: fileCount }, (_, index) => `${index}.txt`);
const textOf = (name: string): string => `file ${name}\n`;
const totalBytes = names.reduce((sum, name) => sum + textOf(name).length, 0);
const readAllScript = `
  const names = Array.from({ length: ${fileCount} }, (_, index) => index + '.txt');
  const read = await Promise.all(names.map((path) => tools.read({ path })));
  return read.reduce((sum, { bytes }) => sum + bytes, 0);`;

/** Measures the tools for files through every gate, compared with those of other projects. */
export const benchFiles: BenchGroup = async ({ rounds }) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ravi-bench-files-')));
  const peers = await openFilePeers(folder);
  try {
    const half = 'a line of a large file\n'.repeat(largeBytes / 46);
    const large = `${half}begin\n${half}`;
    for (const name of names) writeFileSync(join(folder, name), textOf(name));
    for (const { name } of [{ name: 'ours' }, ...peers]) writeFileSync(join(folder, `${name}.large`), large);
    await using ours = await openTools(filesPlugin, { ...options, root: folder }, folder);
    // An edit needs the file to be read.
    await ours.call('read', { path: 'ours.large', endLine: 1 });
    const rows: BenchRow[] = [];
    for (const measurement of measurements(folder, ours, peers)) rows.push(...(await rowsOf(measurement, rounds)));
    return rows;
  } finally {
    for (const peer of peers) await peer[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  }
};

function measurements(folder: string, ours: OpenTools, peers: readonly FilePeer[]): readonly Measurement[] {
  const ofPeers = (measure: (peer: FilePeer) => Promise<number>): readonly Contender[] =>
    peers.map((peer) => ({ name: peer.name, measure: () => measure(peer) }));
  const readAll = async (): Promise<unknown> => names.map((name) => readFileSync(join(folder, name), 'utf8'));
  return [
    {
      group: 'files',
      name: '1 000 small files read in one script',
      unit: 'ms',
      goal: '≤ 150 ms',
      floor: { name: 'readFileSync', measure: () => timed(readAll) },
      ours: { name: 'script', measure: () => timed(async () => equal(await ours.script(readAllScript), totalBytes)) },
      peers: ofPeers((peer) => timed(() => Promise.all(names.map((name) => peer.read(name))))),
    },
    {
      group: 'files',
      name: 'edit in the middle of a file of 5 MB',
      unit: 'ms',
      goal: '≤ 50 ms',
      ours: {
        name: 'edit',
        measure: () => backAndForth((oldText, newText) => ours.call('edit', { path: 'ours.large', oldText, newText })),
      },
      peers: ofPeers(({ name, edit }) =>
        backAndForth(async (from, to) => match(await edit(`${name}.large`, from, to), /Replaced 1|^```diff/u)),
      ),
    },
    {
      group: 'files',
      name: 'read of a small file through the invoker',
      unit: 'µs',
      ours: { name: 'read', measure: () => eachUs((path) => ours.call('read', { path })) },
      peers: ofPeers((peer) => eachUs((path) => peer.read(path))),
    },
  ];
}

/** Microseconds per call, one after the other. */
async function eachUs(read: (path: string) => Promise<unknown>): Promise<number> {
  const ms = await timed(async () => {
    for (const name of names) await read(name);
  });
  return (ms * 1_000) / names.length;
}

/** Milliseconds per edit: two of them, so that each finds the text that it replaces. */
async function backAndForth(edit: (oldText: string, newText: string) => Promise<unknown>): Promise<number> {
  const ms = await timed(async () => {
    await edit('begin\n', 'start\n');
    await edit('start\n', 'begin\n');
  });
  return ms / 2;
}
