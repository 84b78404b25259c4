import { readFileSync } from 'node:fs';
import type { JsonObject } from '@ravi/kernel';

/** The parts in the order in which they build on one another. */
const parts = ['errors', 'artifacts', 'results', 'tools'];

let source: string | undefined;

/**
 * What a Python script finds beside the language, as the `prelude` of a sandbox request: `tools`, the error classes, and
 * `input` where there is one. Read when a script first needs it; the folder lies beside `src` as beside `dist`.
 */
export function pythonPrelude(input: JsonObject | undefined): string {
  source ??= parts.map((name) => readFileSync(new URL(`../python/${name}.py`, import.meta.url), 'utf8')).join('\n');
  if (input === undefined) return source;
  // Python reads a JSON text as a literal of the same text.
  return `${source}\nnames["input"] = json.loads(${JSON.stringify(JSON.stringify(input))})\n`;
}
