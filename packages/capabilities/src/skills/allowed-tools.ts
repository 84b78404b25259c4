/** Entries of an `allowed-tools`, or the problem with it. */
export type AllowedTools = { readonly entries: readonly string[] } | { readonly problem: string };

const maxShownCharacters = 100;

/**
 * Reads the value of `allowed-tools`: a string with spaces or commas between its entries, or a list of them. An entry is
 * the name of a tool, or a name followed directly by a pattern in brackets. An ambiguous value is a problem, because one
 * of its readings would allow more than was meant.
 */
export function readAllowedTools(value: unknown): AllowedTools {
  if (value === null) {
    return { problem: 'has an empty allowed-tools; write "" to allow no tool, or remove the line to allow every tool' };
  }
  const entries = typeof value === 'string' ? split(value) : value;
  if (!Array.isArray(entries) || !entries.every((entry) => typeof entry === 'string')) {
    return { problem: 'has an allowed-tools that is neither a string nor a list of strings' };
  }
  const odd = entries.find((entry) => !isEntry(entry));
  if (odd === undefined) return { entries };
  const shown = JSON.stringify(odd.slice(0, maxShownCharacters));
  return { problem: `has ${shown} in its allowed-tools; it must be a name, or a name followed directly by (…)` };
}

// A pattern may have spaces, commas and brackets of its own.
function split(text: string): readonly string[] {
  const entries: string[] = [];
  let entry = '';
  let depth = 0;
  for (const character of `${text} `) {
    depth += depthOf(character);
    if (depth > 0 || !/[\s,]/.test(character)) entry += character;
    else if (entry !== '') {
      entries.push(entry);
      entry = '';
    }
  }
  return entry === '' ? entries : [...entries, entry.trimEnd()];
}

function isEntry(entry: string): boolean {
  return /^[^\s,()]+(?:\(.*\))?$/s.test(entry) && isBalanced(entry);
}

function isBalanced(entry: string): boolean {
  let depth = 0;
  for (const character of entry) {
    depth += depthOf(character);
    if (depth < 0) return false;
  }
  return depth === 0;
}

function depthOf(bracket: string): number {
  if (bracket === '(') return 1;
  return bracket === ')' ? -1 : 0;
}
