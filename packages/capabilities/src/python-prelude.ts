import { readFileSync } from 'node:fs';
import type { JsonObject } from '@ravi/kernel';

/** The parts in the order in which they build on one another. */
const parts = ['errors', 'artifacts', 'results', 'tools'];

// Read when a script first needs them.
let runs: string | undefined;
let checks: string | undefined;

/**
 * What a Python script finds beside the language, as the `prelude` of a sandbox request: `tools`, the error classes, and
 * `input` where there is one. With `checked` it has the tools judged that the script names, before the script runs. The
 * folder of the sources lies beside `src` as beside `dist`.
 */
export function pythonPrelude(options: { readonly input: JsonObject | undefined; readonly checked: boolean }): string {
  const { input, checked } = options;
  runs ??= parts.map(read).join('\n');
  checks ??= read('check');
  const source = checked ? `${runs}\n${checks}` : runs;
  if (input === undefined) return source;
  // Python reads a JSON text as a literal of the same text.
  return `${source}\nnames["input"] = json.loads(${JSON.stringify(JSON.stringify(input))})\n`;
}

function read(name: string): string {
  return readFileSync(new URL(`../python/${name}.py`, import.meta.url), 'utf8');
}
