import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stateOf } from './data-folder.ts';
import {
  changedRefs,
  isSameRef,
  noPackedRefs,
  packedRefsContent,
  readPackedRefs,
  withLooseRefs,
} from './packed-refs.ts';
import type { PackedRefs } from './packed-refs.ts';

/** Path of the file in the data. */
export const packedRefs = 'packed-refs';

/** Names that git takes in `packed-refs` without a doubt. A lock is not a ref, and refs of one work tree are never packed. */
const packable = /^refs\/(?!(?:bisect|rewritten|worktree)\/)(?:[\w+=@%,#-]+(?:\.[\w+=@%,#-]+)*(?<!\.lock)(?:\/|$))+$/;
const digest = /^(?:[0-9a-f]{40}|[0-9a-f]{64})(?=\n$)/;

/** Returns the digest of a ref that can be packed; `undefined` for any other file, such as a symbolic ref. */
export function packableRef(path: string, content: Buffer): string | undefined {
  return packable.test(path) ? digest.exec(content.toString('latin1'))?.[0] : undefined;
}

/** Change that commands made to the private `packed-refs`. */
export interface PackedChange {
  /** File with the new content for the workspace; `undefined` if its `packed-refs` stays as it is. */
  readonly source: string | undefined;
  /** True for a ref that is not there any more, or with another digest. */
  isChanged(name: string): boolean;
  /** Takes the change as made in the workspace. */
  accept(): void;
}

/**
 * File `packed-refs` of a private copy. It also has the loose refs of the workspace: a file for each would take most of the time of a call.
 * A command that updates one of them writes a loose ref, and one that deletes it writes a new `packed-refs`.
 */
export interface PrivateRefs {
  /** Returns the change since the last one was accepted; `undefined` if the file is the same. */
  change(): PackedChange | undefined;
}

/** Part of a repository that {@link writePrivateRefs} needs. */
export interface ReadRefs {
  /** Content of `packed-refs` in the workspace; `undefined` if there is none. */
  readonly packed: Buffer | undefined;
  /** Digests of its loose refs by name. */
  readonly loose: ReadonlyMap<string, string>;
}

/** Writes the file `packed-refs` of the private copy `folder`. @throws KernelError `E_GIT_FAILED` for one that git cannot read */
export function writePrivateRefs(folder: string, { packed, loose }: ReadRefs): PrivateRefs {
  const file = join(folder, packedRefs);
  const workspaceFile = join(folder, '..', packedRefs);
  const read = (): PackedRefs => (existsSync(file) ? readPackedRefs(readFileSync(file)) : noPackedRefs);
  const stateNow = (): string | undefined => {
    const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? undefined : stateOf(stats);
  };
  // Read when it is needed: there may be many, and most calls change no packed ref.
  let original = (): PackedRefs => (packed === undefined ? noPackedRefs : readPackedRefs(packed));
  let before = (): PackedRefs => withLooseRefs(original(), loose);
  if (loose.size > 0) writeFileSync(file, packedRefsContent(before()));
  else if (packed !== undefined) writeFileSync(file, packed);
  let state = stateNow();
  return {
    change() {
      const changedState = stateNow();
      if (changedState === state) return undefined;
      const [known, was, is] = [original(), before(), read()];
      const next = changedRefs(known, was, is);
      const content = packedRefsContent(next);
      const isWritten = !content.equals(packedRefsContent(known));
      if (isWritten) writeFileSync(workspaceFile, content, { mode: lstatSync(file).mode & 0o777 });
      return {
        source: isWritten ? workspaceFile : undefined,
        isChanged: (name) => !isSameRef(was, is, name),
        accept() {
          original = () => next;
          before = () => is;
          state = changedState;
        },
      };
    },
  };
}
