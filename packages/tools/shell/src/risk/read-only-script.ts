import type { Redirection, SyntaxNode, Word } from 'unbash';
import { readsOf } from './read-only-commands.ts';
import type { ShellTree } from './shell-words.ts';

const maxLength = 2000;
// Words that Bash takes as they are, so that no difference between the parser and the shell can matter.
const quoted = /'[^'\\]*'|"[^"\\$`!]*"/gu;
const plainSource = /^[A-Za-z0-9_@%+=:,./^\s|&;<>#-]*$/u;
const plainWord = /^(?:[A-Za-z0-9_@%+=:,./^-]+|'[^'\\]*'|"[^"\\$`!]*")$/u;

/**
 * Returns the paths that a script reads if it certainly changes nothing: commands of the list in {@link readsOf}, joined by `|`, `&&`, `||`, `;`
 * or lines, with words that the shell does not expand, below the folder in which it starts. `undefined` for every other script.
 */
export function readOnlyReads(source: string, { nodes }: ShellTree): readonly string[] | undefined {
  if (source.length > maxLength || !/^[\t\n\x20-\x7E]*$/u.test(source)) return undefined;
  // The parser forgives mistakes: no character may be left that it could have skipped.
  if (!plainSource.test(source.replaceAll(quoted, 'q'))) return undefined;
  const reads: string[] = [];
  let commands = 0;
  for (const node of nodes) {
    const found = readsOfNode(node);
    if (found === undefined) return undefined;
    reads.push(...found);
    if (node.type === 'Command') commands += 1;
  }
  if (commands === 0 || reads.some(leadsOut)) return undefined;
  return reads.filter((path) => path !== '-');
}

function readsOfNode(node: SyntaxNode): readonly string[] | undefined {
  switch (node.type) {
    case 'Script':
    case 'AndOr':
    case 'FileDescriptor':
      return [];
    case 'Pipeline':
      return node.prefixes.length === 0 && !node.operators.includes('|&') ? [] : undefined;
    case 'Statement':
      return node.background === true ? undefined : [];
    case 'Word':
      return plainWord.test(node.text) && !node.text.startsWith('~') ? [] : undefined;
    case 'Literal':
    case 'SingleQuoted':
    case 'DoubleQuoted':
      return [];
    case 'Redirect':
      return isHarmless(node) ? [] : undefined;
    case 'Command': {
      if (node.name === undefined || node.prefix.length > 0 || node.args.some(({ type }) => type !== 'Word'))
        return undefined;
      return readsOf([node.name.value, ...node.args.map((word) => (word as Word).value)]);
    }
    default:
      return undefined;
  }
}

function isHarmless(node: Redirection): boolean {
  if (node.type !== 'Redirect') return false;
  const target = node.target?.text;
  return node.operator === '>&' ? target === '1' || target === '2' : target === '/dev/null';
}

function leadsOut(path: string): boolean {
  return path.startsWith('/') || path.split('/').includes('..');
}
