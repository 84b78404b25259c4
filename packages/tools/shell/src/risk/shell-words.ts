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
  const rest = command.args.map((word) => (word.type === 'Word' ? literalOf(word) : word.text));
  return [literalOf(command.name), ...rest];
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

/** Parses the text of a script as Bash reads it. Never throws for a mistake in the text: `errors` lists them. */
export function parseShell(source: string): ShellTree {
  const script = parse(source);
  const nodes: SyntaxNode[] = [];
  const parents = new Map<SyntaxNode, SyntaxNode>();
  const errors: ParseError[] = [];
  const open: SyntaxNode[] = [script];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    nodes.push(node);
    if (node.type === 'Script') errors.push(...(node.errors ?? []));
    const parent = node;
    forEachChild(node, (child) => {
      parents.set(child, parent);
      open.push(child);
    });
  }
  return { script, nodes, parents, errors };
}
