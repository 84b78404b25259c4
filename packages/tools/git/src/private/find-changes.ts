import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stateOf } from './data-folder.ts';
import type { CopiedData, FileStates } from './copy-data.ts';
import { packedRefs } from './private-refs.ts';
import type { PackedChange } from './private-refs.ts';

/** Change of a file of the data that has to be made in the workspace as well. */
export interface DataChange {
  /** `write` replaces or creates the file, `append` adds to it what follows `bytes` of `source`, `remove` deletes it. */
  readonly kind: 'write' | 'append' | 'remove';
  /** Path in the data. */
  readonly path: string;
  /** Absolute path of the private file with the new content. */
  readonly source: string;
  /** State of the file in the workspace when it was copied; absent for a new file. */
  readonly original: string | undefined;
  /** Bytes that `source` had when it was copied. */
  readonly bytes: number;
}

const log = /^(?:worktrees\/[^/]+\/)?logs\//;
const ref = /^(?:worktrees\/[^/]+\/)?refs\/|\/tables\.list$/;
/** The objects are in the workspace, hooks are never changed, and a lock that is left belongs to a command that was killed. */
const notCopiedBack = /^(?:objects$|hooks(?:\/|$)|config$|packed-refs$)|(?:^|\/)config\.worktree$|\.lock$/;

/**
 * Returns the changes that commands have made to a private copy of the data, in an order in which an end in between does no harm: state files and
 * index, logs, refs, `HEAD`, then files that are gone. `packed` is the change of packed refs. The configuration is left out.
 */
export function findChanges(
  folder: string,
  files: CopiedData['files'],
  packed: PackedChange | undefined,
): readonly DataChange[] {
  const changes: DataChange[] = [];
  const found = new Set<string>();
  const open = [''];
  for (let inner = open.pop(); inner !== undefined; inner = open.pop()) {
    for (const entry of readdirSync(join(folder, inner), { withFileTypes: true })) {
      const path = join(inner, entry.name);
      if (!entry.isDirectory()) found.add(path);
      if (notCopiedBack.test(path)) continue;
      if (entry.isDirectory()) open.push(path);
      else changes.push(...changeOf(path, join(folder, path), files.get(path)));
    }
  }
  for (const [path, { original, copy }] of files) {
    if (found.has(path) || notCopiedBack.test(path)) continue;
    if (copy === undefined && packed?.isChanged(path) !== true) continue;
    changes.push({ kind: 'remove', path, source: join(folder, path), original, bytes: 0 });
  }
  if (packed?.source !== undefined) {
    const original = files.get(packedRefs)?.original;
    changes.push({ kind: 'write', path: packedRefs, source: packed.source, original, bytes: 0 });
  }
  return changes.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function changeOf(path: string, source: string, states: FileStates | undefined): readonly DataChange[] {
  const now = lstatSync(source, { bigint: true });
  if (states?.copy === stateOf(now)) return [];
  const [file, bytes = '0'] = (states?.copy ?? '').split(':');
  // git adds to a log in place, and replaces any other file.
  const isLonger = log.test(path) && file === String(now.ino) && now.size > BigInt(bytes);
  const kind = isLonger ? 'append' : 'write';
  return [{ kind, path, source, original: states?.original, bytes: Number(bytes) }];
}

function rankOf({ kind, path }: DataChange): number {
  if (kind === 'remove') return 5;
  if (log.test(path)) return 1;
  if (ref.test(path)) return 2;
  if (path === packedRefs) return 3;
  return /(?:^|\/)HEAD$/.test(path) ? 4 : 0;
}
