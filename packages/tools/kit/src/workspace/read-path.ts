import { isAbsolute, relative, sep } from 'node:path';
import { invalidPath } from './path-error.ts';

const maxPathBytes = 4096;

/**
 * Splits a path of a caller into its parts, without `.` and empty ones. A relative path begins at the root of the workspace; an absolute
 * path is accepted if its text begins with the root.
 * @throws KernelError `E_ARGUMENTS_INVALID` for an empty path, one with a NUL character or one above 4 096 bytes
 */
export function readPath(path: string, root: string): readonly string[] {
  if (path === '') throw invalidPath(path, 'is empty; "." is the workspace');
  if (path.includes('\0')) throw invalidPath(path, 'has a NUL character');
  if (Buffer.byteLength(path) > maxPathBytes) throw invalidPath(path, `has more than ${maxPathBytes} bytes`);
  return splitPath(isAbsolute(path) ? fromRoot(path, root) : path);
}

/** Splits a path at its separators, without `.` and empty parts. */
export function splitPath(path: string): string[] {
  return path.split(sep === '\\' ? /[\\/]/ : '/').filter((part) => part !== '' && part !== '.');
}

function fromRoot(path: string, root: string): string {
  // A text that does not begin with the root gives `..` parts, which the walk refuses.
  return relative(root, path);
}
