import { readFileSync } from 'node:fs';
import type { JsonObject } from '@ravi/kernel';
import type { ScriptBeginning } from './chain/run-script.ts';

/** Parts in the order in which they depend on each other. */
const parts = ['errors', 'artifacts', 'results', 'tools'];

// Read when the first script needs them.
let runs: string | undefined;
let checks: string | undefined;
let repeats: string | undefined;

/**
 * Returns the `prelude` of a sandbox request for a Python script: defines `tools`, the error classes, and `input` if there
 * is one. With `checked` it reports the tools that the script names to the host before the script runs, and with `beginning` the
 * script can be repeated. `toolNames` are the
 * tools that the script can list. The folder of the sources is next to `src` and to `dist`.
 */
export function pythonPrelude(options: {
  readonly input: JsonObject | undefined;
  readonly checked: boolean;
  readonly toolNames: readonly string[];
  /** Start values of a script that can be repeated. */
  readonly beginning: ScriptBeginning | undefined;
}): string {
  const { input, checked, toolNames, beginning } = options;
  runs ??= parts.map(read).join('\n');
  checks ??= `${read('facts')}\n${read('check')}`;
  let source = checked ? `${runs}\n${checks}` : runs;
  if (toolNames.length > 0) source += `\nTools._names = ${literalOf(toolNames)}\n`;
  if (beginning !== undefined) {
    repeats ??= read('durable');
    source += `\n${repeats}\nbeginning = ${literalOf(beginning)}\n`;
  }
  return input === undefined ? source : `${source}\nnames["input"] = ${literalOf(input)}\n`;
}

// A JSON string is also a Python literal of the same string.
function literalOf(value: unknown): string {
  return `json.loads(${JSON.stringify(JSON.stringify(value))})`;
}

function read(name: string): string {
  return readFileSync(new URL(`../python/${name}.py`, import.meta.url), 'utf8');
}
