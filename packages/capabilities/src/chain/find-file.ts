import type { ChainFile } from '@ravi/kernel';

const maxListed = 20;
const maxShownLength = 256;

/** What a script is told of the file at `path`, as JSON. @throws Error with a `code`, in words that a script may read */
export function findFile(files: readonly ChainFile[], path: string): string {
  const file = files.find((candidate) => candidate.path === path);
  if (file !== undefined) return JSON.stringify(file);
  const there = files.slice(-maxListed).map((candidate) => candidate.path);
  const list = there.length === 0 ? 'no call has made one' : `there are ${there.join(', ')}`;
  const message = `There is no file ${path.slice(0, maxShownLength)}; ${list}`;
  throw Object.assign(new Error(message), { code: 'E_BLOB_NOT_FOUND' });
}
