import { readFileSync } from 'node:fs';

/** Parts of every guest in Python, in the order in which they depend on each other. */
const shared = ['records', 'console', 'calls', 'script', 'values', 'failures', 'ending'];

/** Returns a file of this package's folder `python`, which is next to `src` and to `dist`. */
export function readPython(name: string): string {
  return readFileSync(new URL(`../../python/${name}.py`, import.meta.url), 'utf8');
}

/**
 * Returns the program of a guest in Python: records, console, calls, the script and its outcome, and then `own`, the parts
 * of the adapter. They add a subclass of `Calls` and call `ending_of`.
 */
export function pythonGuestSource(own: readonly string[]): string {
  return [...shared.map(readPython), ...own].join('\n');
}
