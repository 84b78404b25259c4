import { KernelError } from '@ravi/kernel';

/** Returns the error of a path that leads out of the workspace. `path` is what the caller asked for. */
export function outsideError(path: string): KernelError {
  return new KernelError('E_PATH_OUTSIDE', `${show(path)} is outside of the workspace`, { hadNoEffect: true });
}

/** Returns the error of a path that cannot be used, for example because it is empty. */
export function invalidPath(path: string, reason: string): KernelError {
  return new KernelError('E_ARGUMENTS_INVALID', `The path ${show(path)} ${reason}`, { hadNoEffect: true });
}

const codes: Readonly<Record<string, readonly [code: string, reason: string]>> = {
  ENOENT: ['E_FILE_NOT_FOUND', 'does not exist'],
  EACCES: ['E_FILE_FORBIDDEN', 'may not be accessed'],
  EPERM: ['E_FILE_FORBIDDEN', 'may not be accessed'],
  EROFS: ['E_FILE_FORBIDDEN', 'is on a read-only file system'],
  EISDIR: ['E_FILE_KIND', 'is a folder'],
  ENOTDIR: ['E_FILE_KIND', 'has a part that is a file, not a folder'],
  EEXIST: ['E_FILE_EXISTS', 'exists already'],
  ENOTEMPTY: ['E_FILE_KIND', 'is a folder that is not empty'],
  ENAMETOOLONG: ['E_ARGUMENTS_INVALID', 'has a part with more than 255 bytes'],
  ELOOP: ['E_FILE_KIND', 'is a link that leads to itself, or changed while it was opened'],
  ENXIO: ['E_FILE_KIND', 'is not a regular file'],
  ENOSPC: ['E_FILE_NO_SPACE', 'cannot be written: no space is left'],
  EDQUOT: ['E_FILE_NO_SPACE', 'cannot be written: the quota is used up'],
  EMFILE: ['E_FILE_BUSY', 'cannot be opened: too many files are open'],
  ENFILE: ['E_FILE_BUSY', 'cannot be opened: too many files are open'],
};

/** Turns an error of the file system into one that names `path` as the caller wrote it, and no path of the host. */
export function fileError(path: string, error: unknown): unknown {
  const found = codes[(error as NodeJS.ErrnoException).code ?? ''];
  if (found === undefined) return error;
  const [code, reason] = found;
  return new KernelError(code, `${show(path)} ${reason}`, { cause: error, retryable: code === 'E_FILE_BUSY' });
}

/** Quotes a path for a message, shortened to 200 characters. */
export function show(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 199)}…` : path);
}

// Characters that HFS+ ignores in a name, so that `.g\u200cit` is `.git` there.
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;

/**
 * Returns true if a path has `.git` among its parts, in any spelling that a file system takes for it: other case, characters that HFS+
 * ignores, dots and blanks at the end, the short name and streams of NTFS. Hooks and configuration in such a folder are programs that Git
 * starts, and a file of that name points to such a folder.
 */
export function isGitPath(path: string): boolean {
  return path.split(/[\\/]/u).some(isGitName);
}

function isGitName(part: string): boolean {
  const name = part.normalize('NFKC').replaceAll(ignored, '').toLowerCase().split(':', 1)[0] ?? '';
  return /^(?:\.git|git~\d+)[. ]*$/u.test(name);
}
