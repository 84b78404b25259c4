import { readFileSync } from 'node:fs';
import type { JsonObject } from '@ravi/kernel';

/** Parts in the order in which they depend on each other. */
const parts = ['errors', 'artifacts', 'results', 'tools'];

// Read when the first script needs them.
let runs: string | undefined;
let checks: string | undefined;

/**
 * Returns the `prelude` of a sandbox request for a Python script: defines `tools`, the error classes, and `input` if there
 * is one. With `checked` it reports the tools that the script names to the host before the script runs. The folder of the
 * sources is next to `src` and to `dist`.
 */
export function pythonPrelude(options: { readonly input: JsonObject | undefined; readonly checked: boolean }): string {
  const { input, checked } = options;
  runs ??= parts.map(read).join('\n');
  checks ??= read('check');
  const source = checked ? `${runs}\n${checks}` : runs;
  if (input === undefined) return source;
  // A JSON string is also a Python literal of the same string.
  return `${source}\nnames["input"] = json.loads(${JSON.stringify(JSON.stringify(input))})\n`;
}

function read(name: string): string {
  return readFileSync(new URL(`../python/${name}.py`, import.meta.url), 'utf8');
}
