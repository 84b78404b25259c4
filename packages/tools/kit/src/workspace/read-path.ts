import { isAbsolute, sep } from 'node:path';
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
  return splitFrom(path, root);
}

/** Splits a path at its separators, without `.` and empty parts. */
function splitPath(path: string): string[] {
  return path.split(sep === '\\' ? /[\\/]/ : '/').filter((part) => part !== '' && part !== '.');
}

/**
 * Splits a path that begins at `root` if it is absolute. `..` stays: it is the folder above only after the links before it were followed. An
 * absolute path whose text does not begin with the root gives `..`, which the walk refuses.
 */
export function splitFrom(path: string, root: string): string[] {
  if (!isAbsolute(path)) return splitPath(path);
  const text = sep === '\\' ? path.replaceAll('/', sep) : path;
  const folder = root.endsWith(sep) ? root : `${root}${sep}`;
  if (text === root) return [];
  return text.startsWith(folder) ? splitPath(text.slice(folder.length)) : ['..'];
}
