import { forEachChild, parse } from 'unbash';
import type { Command, ParseError, ParsedScript, SyntaxNode, Word } from 'unbash';

/** Text of a word whose value is known before the shell runs; `undefined` if the shell expands it. */
export function literalOf(word: Word): string | undefined {
  const isLiteral = (word.parts ?? []).every(
    (part) =>
      part.type === 'Literal' ||
      part.type === 'SingleQuoted' ||
      part.type === 'AnsiCQuoted' ||
      (part.type === 'DoubleQuoted' && part.parts.every(({ type }) => type === 'Literal')),
  );
  return isLiteral ? word.value : undefined;
}

/** Words of a command with its name first. A word that the shell expands is `undefined`. */
export function wordsOf(command: Command): readonly (string | undefined)[] {
  if (command.name === undefined) return [];
  return [command.name, ...command.args].flatMap<string | undefined>((word) =>
    word.type === 'Word' ? (bracesOf(word.text) ?? [literalOf(word)]) : [word.text],
  );
}

// `{rm,-rf,x}` is three words.
function bracesOf(text: string): readonly string[] | undefined {
  return /^\{[^{}$`'"\\\s]*,[^{}$`'"\\\s]*\}$/u.test(text) ? text.slice(1, -1).split(',') : undefined;
}

/** A script that was parsed. */
export interface ShellTree {
  readonly script: ParsedScript;
  /** Every node of the script and of the scripts inside it. */
  readonly nodes: readonly SyntaxNode[];
  /** Parents of the nodes. */
  readonly parents: ReadonlyMap<SyntaxNode, SyntaxNode>;
  readonly errors: readonly ParseError[];
}

// The parser reads a substitution when its children are asked for, and the text to its end again for each one in another.
const maxScripts = 20;

/** Work that is left for judging a script and the scripts in it: the call that waits for the judgement blocks the process. */
export interface ParseBudget {
  /** Nodes that may still be read; below 0 if the script has more. */
  nodes: number;
}

// Parsing takes a part of a millisecond for each of these.
const charactersPerNode = 16;

/**
 * Parses the text of a script as Bash reads it. Never throws for a mistake in the text: `errors` lists them. Takes the nodes from the budget,
 * and leaves out those for which it does not suffice. Above 20 substitutions in one another none are left, and a text of more than 16
 * characters for each node that is left is not parsed.
 */
export function parseShell(source: string, budget: ParseBudget): ShellTree {
  const isTooLong = source.length > Math.max(budget.nodes, 0) * charactersPerNode;
  if (isTooLong) budget.nodes = -1;
  const script = parse(isTooLong ? '' : source);
  const nodes: SyntaxNode[] = [];
  const parents = new Map<SyntaxNode, SyntaxNode>();
  const errors: ParseError[] = [];
  const open: (readonly [node: SyntaxNode, scripts: number])[] = [[script, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, outer] = next;
    const scripts = node.type === 'Script' ? outer + 1 : outer;
    budget.nodes = scripts > maxScripts ? -1 : budget.nodes - 1;
    if (budget.nodes < 0) break;
    nodes.push(node);
    if (node.type === 'Script') errors.push(...(node.errors ?? []));
    const parent = node;
    forEachChild(node, (child) => {
      parents.set(child, parent);
      open.push([child, scripts]);
    });
  }
  return { script, nodes, parents, errors };
}
