import { KernelError } from '@ravi/kernel';
import { show } from '@ravi/tools-kit';
import { parsePatch } from 'diff';
import type { StructuredPatch } from 'diff';

const unchanged = { hadNoEffect: true } as const;
const maxFiles = 100;
const nothing = '/dev/null';

/** Part of a patch: the change of one file. `from` and `to` differ for a renamed file. */
export interface FilePatch {
  /** Path of the file before; `undefined` for one that is created. */
  readonly from: string | undefined;
  /** Path of the file after; `undefined` for one that is deleted. */
  readonly to: string | undefined;
  readonly hunks: StructuredPatch;
}

/**
 * Reads a patch in unified format, with the additions of Git. The prefixes `a/` and `b/` are removed.
 * @throws KernelError `E_FILE_PATCH` for a text that is not a patch, has more than 100 files, one of them twice, or an unsupported change:
 * binary content, a copy, permissions alone
 */
export function readPatch(text: string): readonly FilePatch[] {
  const files = parse(text).map(readFile);
  if (files.length === 0) throw patchError('There is no change in the patch. It needs lines ---, +++ and @@');
  if (files.length > maxFiles) throw patchError(`The patch has ${files.length} files, more than ${maxFiles}`);
  const seen = new Set<string>();
  for (const path of files.flatMap(pathsOf)) {
    if (seen.has(path)) throw patchError(`The patch changes ${show(path)} twice`);
    seen.add(path);
  }
  return files;
}

/** Returns the paths that a part of a patch reads or writes. */
export function pathsOf({ from, to }: FilePatch): readonly string[] {
  const paths = from === to ? [from] : [from, to];
  return paths.filter((path) => path !== undefined);
}

/** Returns the error of a patch that cannot be used. */
export function patchError(message: string): KernelError {
  return new KernelError('E_FILE_PATCH', message, unchanged);
}

function parse(text: string): readonly StructuredPatch[] {
  try {
    return parsePatch(text);
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '').slice(0, 300) : '';
    throw patchError(`The text is not a patch in unified format: ${why}`);
  }
}

function readFile(hunks: StructuredPatch): FilePatch {
  const { oldFileName: old, newFileName: next } = hunks;
  if (old === undefined || next === undefined || old === '' || next === '') {
    throw patchError('The patch has a part without the names of its file. Add lines --- and +++ before its first @@');
  }
  const { from, to } = withoutPrefixes(old, next);
  const name = show(to ?? from ?? '');
  if (hunks.isBinary === true) throw patchError(`The patch has binary content for ${name}, which is not supported`);
  if (hunks.isCopy === true) throw patchError(`The patch copies ${name}, which is not supported. Use write`);
  if (from === undefined && to === undefined) throw patchError('The patch has a part that is about no file');
  if (hunks.hunks.length === 0 && from === to) throw patchError(`The patch changes no text of ${name}`);
  return { from, to, hunks };
}

function withoutPrefixes(old: string, next: string): Pick<FilePatch, 'from' | 'to'> {
  const isPrefixed = (old === nothing || old.startsWith('a/')) && (next === nothing || next.startsWith('b/'));
  const nameOf = (name: string): string | undefined => {
    if (name === nothing) return undefined;
    return isPrefixed ? name.slice(2) : name;
  };
  return { from: nameOf(old), to: nameOf(next) };
}
