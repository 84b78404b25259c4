import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Started by a test with the workspace and the folder outside. Swaps a folder and a file of the workspace for links to the outside and back,
// as fast as it can, until its parent ends it.
const [root = '', outside = ''] = process.argv.slice(2);
const at = (name: string): string => join(root, name);

process.on('disconnect', () => process.exit(0));

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The other process has created, replaced or removed the entry.
  }
}

function swap(name: string, target: string, restore: () => void): void {
  attempt(() => renameSync(at(name), at(`${name}.kept`)));
  attempt(() => symlinkSync(target, at(name)));
  attempt(() => unlinkSync(at(name)));
  attempt(() => renameSync(at(`${name}.kept`), at(name)));
  attempt(restore);
}

function round(): void {
  for (let count = 0; count < 200; count += 1) {
    swap('folder', outside, () => mkdirSync(at('folder')));
    swap('file', join(outside, 'secret.txt'), () => writeFileSync(at('file'), 'mine', { flag: 'wx' }));
  }
  // What is in the way after calls that have deleted or created entries.
  attempt(() => rmSync(at('folder.kept'), { recursive: true }));
  attempt(() => writeFileSync(join(root, 'folder', 'secret.txt'), 'mine', { flag: 'wx' }));
  setImmediate(round);
}

process.send?.('started');
round();
