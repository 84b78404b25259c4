import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

// Started by a test with the workspace, a folder outside and the name of an attack. Changes the data of the repository and changes it back, as
// fast as it can, until its parent ends it. Each attack finds its files in the folder outside.
const [root = '', outside = '', name = ''] = process.argv.slice(2);
const inData = (path: string): string => join(root, '.git', path);
const prepared = (file: string): string => join(outside, file);

process.on('disconnect', () => process.exit(0));

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // A tool has created, replaced or removed the entry.
  }
}

/** Replaces a file at once, so that it never has half of a content. */
function replace(path: string, text: string | Buffer): void {
  const next = prepared(`next-${name}`);
  attempt(() => {
    writeFileSync(next, text);
    renameSync(next, path);
  });
}

function toggle(path: string, evil: string): () => void {
  const good = existsSync(path) ? readFileSync(path) : Buffer.from('');
  const bad = readFileSync(prepared(evil));
  return () => {
    replace(path, bad);
    replace(path, good);
  };
}

const clock = new Int32Array(new SharedArrayBuffer(4));

/** Leaves the changed data in place for a moment. */
function hold(): void {
  Atomics.wait(clock, 0, 0, 8 * Math.random());
}

/** Puts a link in the place of an entry, and the entry back. */
function link(path: string, target: string): void {
  const kept = join(root, 'kept');
  attempt(() => renameSync(path, kept));
  attempt(() => symlinkSync(target, path));
  hold();
  attempt(() => unlinkSync(path));
  attempt(() => renameSync(kept, path));
  attempt(() => rmSync(kept, { recursive: true }));
}

function exchange(other: string): void {
  const kept = join(root, 'kept.git');
  attempt(() => renameSync(inData(''), kept));
  attempt(() => renameSync(other, inData('')));
  hold();
  attempt(() => renameSync(inData(''), other));
  attempt(() => renameSync(kept, inData('')));
}

function addStep(): void {
  const todo = inData('rebase-merge/git-rebase-todo');
  const steps = readFileSync(prepared('steps'));
  attempt(() => mkdirSync(inData('rebase-merge')));
  for (const [file, text] of Object.entries(JSON.parse(readFileSync(prepared('rebase.json'), 'utf8')) as object))
    attempt(() => writeFileSync(inData(`rebase-merge/${file}`), text as string, { flag: 'wx' }));
  replace(todo, 'noop\n');
  replace(todo, steps);
}

const attacks: Readonly<Record<string, () => () => void>> = {
  config: () => toggle(inData('config'), 'config'),
  worktree: () => {
    const config = toggle(inData('config.worktree'), 'config');
    return () => {
      config();
      attempt(() => unlinkSync(inData('config.worktree')));
    };
  },
  attributes: () => {
    const attributes = toggle(inData('info/attributes'), 'attributes');
    const config = toggle(inData('config'), 'config');
    return () => {
      attributes();
      config();
    };
  },
  folder: () => () => exchange(join(root, 'other.git')),
  link: () => () => link(inData('').replace(/\/$/, ''), prepared('repository')),
  links: () => () => {
    for (const path of ['logs/HEAD', 'index', 'packed-refs'])
      link(inData(path), prepared(`target-${path.replace('/', '-')}`));
    for (const path of ['refs/heads', 'logs/refs', 'info']) link(inData(path), prepared('folder'));
  },
  rebase: () => addStep,
  address: () => toggle(inData('config'), 'config'),
  remote: () => () => {
    link(join(root, 'remote.git/packed-refs'), prepared('target-packed-refs'));
    link(join(root, 'remote.git/refs/heads'), prepared('folder'));
  },
};
/** Attacks during which the repository cannot be used: they wait a moment, so that some calls begin in between. */
const leavesGaps = /^(?:folder|link|links|rebase|remote)$/.test(name);

const attack = attacks[name]?.();
if (attack === undefined) throw new TypeError(`There is no attack ${name}`);
function round(): void {
  for (let count = 0; count < (leavesGaps ? 1 : 20); count += 1) attack?.();
  if (leavesGaps) setTimeout(round, 10 * Math.random());
  else setImmediate(round);
}

process.send?.('started');
round();
