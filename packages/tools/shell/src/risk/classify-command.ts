import type { RiskAssessment } from '@ravi/kernel';
import type { Command, Redirect, SyntaxNode } from 'unbash';
import { criticalReason, isDevice } from './critical-commands.ts';
import { readOnlyReads } from './read-only-script.ts';
import { literalOf, parseShell, wordsOf } from './shell-words.ts';
import type { ShellTree } from './shell-words.ts';

const maxDepth = 5;
const maxShown = 160;

const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish', 'busybox']);
const interpreters = new Set([...shells, 'python', 'python3', 'perl', 'ruby', 'node', 'php', 'osascript', 'pwsh']);
const runsText = new Set(['eval', 'source', '.', 'trap']);
const startsOthers = new Set([
  'env',
  'nohup',
  'nice',
  'ionice',
  'timeout',
  'time',
  'command',
  'builtin',
  'exec',
  'stdbuf',
  'setsid',
  'xargs',
  'watch',
  'strace',
  'parallel',
  'find',
  'unshare',
  'flock',
  'busybox',
  'script',
  'chrt',
  'taskset',
  'prlimit',
  'systemd-run',
  'npx',
  'make',
  'ssh',
]);

const passesOperands = new Set(['find', 'xargs', 'parallel']);
const deletes = new Set(['rm', 'rmdir', 'unlink', 'shred']);

/** Risk of a command, and the files that it reads if it changes nothing. */
export interface CommandRisk extends Required<RiskAssessment> {
  /** Paths that a `safe` command reads, as they are written. */
  readonly reads: readonly string[];
}

/**
 * Judges a script by its syntax. `safe`: only commands of a short list, with options that change nothing. `critical`: something that cannot be
 * undone was found, which the summary names. Anything else, and what cannot be parsed, is `high`. It finds mistakes and carelessness; it
 * cannot find what a script hides on purpose.
 */
export function classifyCommand(source: string): CommandRisk {
  const tree = parseShell(source);
  const shown = shorten(source);
  const reasons = [...new Set(reasonsOf(tree, 0))];
  if (reasons.length > 0) {
    return { risk: 'critical', summary: `Run in the shell: ${shown}. It ${reasons.slice(0, 4).join(', ')}`, reads: [] };
  }
  const reads = tree.errors.length > 0 ? undefined : readOnlyReads(source, tree);
  if (reads !== undefined) return { risk: 'safe', summary: `Read with the shell: ${shown}`, reads };
  const doubt = tree.errors.length > 0 ? '. Its syntax is broken, so that its effect is unknown' : '';
  return { risk: 'high', summary: `Run in the shell: ${shown}${doubt}`, reads: [] };
}

function shorten(source: string): string {
  const line = source.trim().replaceAll(/\s+/gu, ' ');
  return JSON.stringify(line.length > maxShown ? `${line.slice(0, maxShown)}…` : line);
}

function reasonsOf(tree: ShellTree, depth: number): readonly string[] {
  return tree.nodes.flatMap((node) => {
    if (node.type === 'Command') return reasonsOfCommand(node, tree, depth);
    if (node.type === 'Redirect') return reasonOfRedirect(node) ?? [];
    if (node.type === 'Function') return startsItself(node, tree) ? 'starts itself again and again' : [];
    return [];
  });
}

function reasonsOfCommand(command: Command, tree: ShellTree, depth: number): readonly string[] {
  const words = wordsOf(command);
  const name = nameOf(words[0]);
  const reasons = [criticalReason(words)];
  // What a command such as xargs or env starts may be at any place after its own options.
  if (startsOthers.has(name)) reasons.push(...words.slice(1).map((_, index) => criticalReason(words.slice(index + 1))));
  if (passesOperands.has(name) && words.some((word) => deletes.has(nameOf(word))))
    reasons.push('deletes files that another program finds');
  if (interpreters.has(name) || runsText.has(name)) {
    if (comesFromPipe(command, tree) && readsItsInput(words))
      reasons.push('runs what comes out of a pipe as a program');
    if (hasDownload(command, tree)) reasons.push('runs a program that it downloads');
    reasons.push(...reasonsOfTexts(command, words, depth));
  }
  return reasons.filter((reason) => reason !== undefined);
}

function nameOf(word: string | undefined): string {
  return word === undefined ? '' : word.slice(word.lastIndexOf('/') + 1);
}

// `sh`, `sh -s -- x` and `sh -` read their program from the pipe; `sh file` and `sh -c text` do not.
function readsItsInput(words: readonly (string | undefined)[]): boolean {
  if (runsText.has(nameOf(words[0]))) return words.some((word) => word === '/dev/stdin');
  const rest = words.slice(1);
  if (rest.includes('-c') || rest.includes('-e') || rest.includes('-m')) return false;
  return (
    rest.includes('-s') ||
    rest.includes('-') ||
    rest.includes('/dev/stdin') ||
    rest.every((word) => word?.startsWith('-'))
  );
}

function comesFromPipe(command: Command, { parents }: ShellTree): boolean {
  let child: SyntaxNode = command;
  for (let parent = parents.get(child); parent !== undefined; parent = parents.get(child)) {
    if (parent.type === 'Pipeline') return parent.commands.indexOf(child as Command) > 0;
    if (parent.type === 'Script') return false;
    child = parent;
  }
  return false;
}

function hasDownload(command: Command, { nodes, parents }: ShellTree): boolean {
  return nodes.some((node) => {
    if (node.type !== 'Command' || !['curl', 'wget', 'fetch', 'nc'].includes(nameOf(wordsOf(node)[0]))) return false;
    for (let at = parents.get(node); at !== undefined; at = parents.get(at)) if (at === command) return true;
    return false;
  });
}

// Text that a shell is given as its program: `bash -c 'text'`, `eval text`, a here-document.
function reasonsOfTexts(command: Command, words: readonly (string | undefined)[], depth: number): readonly string[] {
  const name = nameOf(words[0]);
  if (depth >= maxDepth) return ['hides a program in a program'];
  const texts: string[] = [];
  if (name === 'eval' || name === 'trap')
    texts.push(
      words
        .slice(1)
        .map((word) => word ?? '')
        .join(' '),
    );
  else if (shells.has(name)) {
    texts.push(...words.slice(1).filter((word) => word !== undefined));
    for (const redirect of command.redirects) {
      if (redirect.type === 'HereDoc') texts.push(redirect.body.text);
      else if (redirect.type === 'HereString' && redirect.target !== undefined)
        texts.push(literalOf(redirect.target) ?? '');
    }
  }
  return texts.flatMap((text) => reasonsOf(parseShell(text), depth + 1));
}

function reasonOfRedirect({ operator, target }: Redirect): string | undefined {
  const path = target === undefined ? undefined : literalOf(target);
  if (path === undefined || operator === '<&') return undefined;
  if (isDevice(path)) return `uses the device ${path.slice(0, 60)}`;
  if (operator === '<') return undefined;
  return /^(?:\/(?:etc|boot|sys|proc|usr|bin|sbin|lib)\/|~\/\.)/u.test(path)
    ? `writes to ${path.slice(0, 60)}`
    : undefined;
}

function startsItself(
  node: Extract<SyntaxNode, { readonly type: 'Function' }>,
  { nodes, parents }: ShellTree,
): boolean {
  const calls = nodes.filter(
    (each) => each.type === 'Command' && each.name?.value === node.name.value && isInside(each, node, parents),
  );
  return calls.some((call) => {
    for (let at = parents.get(call); at !== undefined && at !== node; at = parents.get(at)) {
      if (at.type === 'Pipeline' || (at.type === 'Statement' && at.background === true)) return true;
    }
    return false;
  });
}

function isInside(node: SyntaxNode, outer: SyntaxNode, parents: ReadonlyMap<SyntaxNode, SyntaxNode>): boolean {
  for (let at = parents.get(node); at !== undefined; at = parents.get(at)) if (at === outer) return true;
  return false;
}
