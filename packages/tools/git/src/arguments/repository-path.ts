import { invalidPath, outsideError } from '@ravi/tools-kit';

const maxPathBytes = 4096;

/**
 * Returns a path of a caller in its shortest form, relative to the top of the repository, for use after `--`. The file may be gone, and git
 * follows no link in it.
 * @throws KernelError `E_ARGUMENTS_INVALID`, `E_PATH_OUTSIDE`
 */
export function repositoryPath(path: string): string {
  if (path === '') throw invalidPath(path, 'is empty; "." is the whole repository');
  if (path.includes('\0')) throw invalidPath(path, 'has a NUL character');
  if (Buffer.byteLength(path) > maxPathBytes) throw invalidPath(path, `has more than ${maxPathBytes} bytes`);
  if (path.startsWith('/')) throw outsideError(path);
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) throw outsideError(path);
  }
  if (parts.some((part) => part.toLowerCase() === '.git')) throw invalidPath(path, 'is in the data of git');
  return parts.length === 0 ? '.' : parts.join('/');
}

/** Returns the arguments for paths: `--` and each path, or only `--` without paths. */
export function pathArguments(paths: readonly string[] | undefined): readonly string[] {
  return ['--', ...(paths ?? []).map(repositoryPath)];
}
