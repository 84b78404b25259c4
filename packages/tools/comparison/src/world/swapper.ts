// Started by a case: swaps a folder of the workspace for a link to the outside and back, as fast as it can, until its parent ends it.
import { existsSync, lstatSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';

const [folder = '', target = ''] = process.argv.slice(2);
const kept = `${folder}.kept`;

process.on('disconnect', () => process.exit());

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The contender has just created or removed the entry.
  }
}

function round(): void {
  for (let count = 0; count < 100; count += 1) {
    attempt(() => renameSync(folder, kept));
    attempt(() => symlinkSync(target, folder));
    attempt(() => unlinkSync(folder));
    attempt(() => renameSync(kept, folder));
    // A call that found no folder has made one, which is in the way.
    if (existsSync(kept)) attempt(removeFolder);
  }
  setImmediate(round);
}

function removeFolder(): void {
  if (lstatSync(folder).isDirectory()) rmSync(folder, { recursive: true });
  else unlinkSync(folder);
  renameSync(kept, folder);
}

process.send?.('started');
round();
