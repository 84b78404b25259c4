import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Next to `src` and to `dist`, whose only file has the content of this one. Bundlers would look for files at a URL.
const folder = join(dirname(fileURLToPath(import.meta.url)), '../python');

/** Parts of every guest in Python, in the order in which they depend on each other. */
const shared = ['records', 'console', 'calls', 'script', 'values', 'failures', 'ending'];

/** Returns a file of this package's folder `python`. */
export function readPython(name: string): string {
  return readFileSync(join(folder, `${name}.py`), 'utf8');
}

/**
 * Returns the program of a guest in Python: records, console, calls, the script and its outcome, and then `own`, the parts
 * of the adapter. They add a subclass of `Calls` and call `ending_of`.
 */
export function pythonGuestSource(own: readonly string[]): string {
  return [...shared.map(readPython), ...own].join('\n');
}
