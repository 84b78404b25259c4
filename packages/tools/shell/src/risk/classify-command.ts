import type { RiskAssessment } from '@ravi/kernel';
import type { Command, Redirect, SyntaxNode } from 'unbash';
import { criticalReason, deviceReason, isDevice, isJudged, isSystemPath, nameOf } from './critical-commands.ts';
import { readOnlyReads } from './read-only-script.ts';
import { literalOf, parseShell, wordsOf } from './shell-words.ts';
import type { ParseBudget, ShellTree } from './shell-words.ts';

const maxDepth = 5;
const maxShown = 160;
// Above these a person has to look: judging more would block the process.
const maxNodes = 4000;
const maxPrograms = 20;

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

// Programs that read a command in one of their words, such as `env -S 'rm -rf x'`.
const takesScripts = new Set(['env', 'watch', 'script', 'flock', 'parallel']);
const splitOption = /^(?:-[A-Za-z0-9]*S|--s[a-z-]*=)/u;
const passesOperands = new Set(['find', 'xargs', 'parallel']);
const deletes = new Set(['rm', 'rmdir', 'unlink', 'shred']);

/** Risk of a command, and the files that it reads if it changes nothing. */
export interface CommandRisk extends Required<RiskAssessment> {
  /** Paths that a `safe` command reads, as they are written. */
  readonly reads: readonly string[];
}

/**
 * Judges a script by its syntax. `safe`: only commands of a short list, with options that change nothing. `critical`: something that cannot be
 * undone was found, which the summary names, or the script has more than 4 000 parts or 64 000 characters. Anything else, and what cannot be parsed, is `high`. It finds mistakes and carelessness; it
 * cannot find what a script hides on purpose.
 */
export function classifyCommand(source: string): CommandRisk {
  const budget: ParseBudget = { nodes: maxNodes };
  const tree = parseShell(source, budget);
  const shown = shorten(source);
  const found = reasonsOf(tree, { depth: 0, budget });
  const reasons = [...new Set(budget.nodes < 0 ? ['is too long to judge', ...found] : found)];
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

interface Nesting {
  readonly depth: number;
  readonly budget: ParseBudget;
}

function reasonsOf(tree: ShellTree, nesting: Nesting): readonly string[] {
  const downloading = downloadingNodes(tree);
  const reasons = tree.nodes.flatMap((node) => {
    if (node.type === 'Command') return reasonsOfCommand(node, { tree, downloading, nesting });
    if (node.type === 'Redirect') return reasonOfRedirect(node) ?? [];
    return [];
  });
  return startsItself(tree) ? [...reasons, 'starts itself again and again'] : reasons;
}

interface Surroundings {
  readonly tree: ShellTree;
  /** Nodes with a command in them that downloads. */
  readonly downloading: ReadonlySet<SyntaxNode>;
  readonly nesting: Nesting;
}

function reasonsOfCommand(command: Command, { tree, downloading, nesting }: Surroundings): readonly string[] {
  const words = wordsOf(command);
  const name = nameOf(words[0]);
  const reasons = [criticalReason(words), deviceReason(words.slice(1))];
  if (startsOthers.has(name)) reasons.push(...reasonsOfStarted(words));
  if (passesOperands.has(name) && words.some((word) => deletes.has(nameOf(word))))
    reasons.push('deletes files that another program finds');
  const at = placeOfInterpreter(words);
  if (at !== -1) {
    const own = words.slice(at);
    if (runsOperands(name, own)) reasons.push('runs its operands as programs');
    // The input of xargs is operands.
    if (!passesOperands.has(name) && comesFromPipe(command, tree) && readsItsInput(own))
      reasons.push('runs what comes out of a pipe as a program');
    if (downloading.has(command)) reasons.push('runs a program that it downloads');
    reasons.push(...reasonsOfTexts(textsOf(command, own), nesting));
  }
  if (startsOthers.has(name) && words.some((word) => takesScripts.has(nameOf(word)))) {
    const scripts = words.filter((word) => word !== undefined && /\s/u.test(word)) as readonly string[];
    reasons.push(
      ...reasonsOfTexts(
        scripts.map((text) => text.replace(splitOption, '')),
        nesting,
      ),
    );
  }
  return reasons.filter((reason) => reason !== undefined);
}

// What a command such as xargs or env starts may be at any place after its own options.
function reasonsOfStarted(words: readonly (string | undefined)[]): readonly (string | undefined)[] {
  const places = [...words.keys()].filter((index) => index > 0 && isJudged(nameOf(words[index])));
  const reasons = places.slice(0, maxPrograms).map((index) => criticalReason(words.slice(index)));
  return places.length > maxPrograms ? [...reasons, 'names too many programs to judge'] : reasons;
}

// Place of the program that runs others: the command itself, or what it starts, as in `timeout 5 sh`. A shell counts before an operand that
// has the name of an interpreter.
function placeOfInterpreter(words: readonly (string | undefined)[]): number {
  const names = words.map(nameOf);
  const [name = ''] = names;
  if (!startsOthers.has(name)) return interpreters.has(name) || runsText.has(name) ? 0 : -1;
  const shell = names.findIndex((each) => shells.has(each) || each === 'eval');
  return shell === -1 ? names.findIndex((each) => interpreters.has(each)) : shell;
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

// `xargs sh -c` and `find -exec sh -c {} ;`: the text that the shell runs is an operand, which no approver sees.
function runsOperands(name: string, words: readonly (string | undefined)[]): boolean {
  if (!passesOperands.has(name)) return false;
  const at = words.findIndex((word) => word !== undefined && /^-[a-z]*[ce]$/u.test(word));
  return at !== -1 && (at === words.length - 1 || words[at + 1]?.includes('{}') === true);
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

function downloadingNodes({ nodes, parents }: ShellTree): ReadonlySet<SyntaxNode> {
  const found = new Set<SyntaxNode>();
  for (const node of nodes) {
    if (node.type !== 'Command' || !['curl', 'wget', 'fetch', 'nc'].includes(nameOf(wordsOf(node)[0]))) continue;
    for (let at = parents.get(node); at !== undefined && !found.has(at); at = parents.get(at)) found.add(at);
  }
  return found;
}

function reasonsOfTexts(texts: readonly string[], { depth, budget }: Nesting): readonly string[] {
  if (depth >= maxDepth) return ['hides a program in a program'];
  return texts.flatMap((text) =>
    budget.nodes < 0 ? [] : reasonsOf(parseShell(text, budget), { depth: depth + 1, budget }),
  );
}

// Text that a shell is given as its program: `bash -c 'text'`, `eval text`, a here-document.
function textsOf(command: Command, words: readonly (string | undefined)[]): readonly string[] {
  const name = nameOf(words[0]);
  if (name === 'eval' || name === 'trap') {
    return [
      words
        .slice(1)
        .map((word) => word ?? '')
        .join(' '),
    ];
  }
  if (!shells.has(name)) return [];
  const texts = words.slice(1).filter((word) => word !== undefined);
  for (const redirect of command.redirects) {
    if (redirect.type === 'HereDoc') texts.push(redirect.body.text);
    else if (redirect.type === 'HereString' && redirect.target !== undefined)
      texts.push(literalOf(redirect.target) ?? '');
  }
  return texts;
}

function reasonOfRedirect({ operator, target }: Redirect): string | undefined {
  const path = target === undefined ? undefined : literalOf(target);
  if (path === undefined || operator === '<&') return undefined;
  if (isDevice(path)) return `uses the device ${path.slice(0, 60)}`;
  if (operator === '<') return undefined;
  return isSystemPath(path) ? `writes to ${path.slice(0, 60)}` : undefined;
}

// A function with a call of itself in a pipeline or in the background.
function startsItself({ nodes, parents }: ShellTree): boolean {
  const functions = new Set(nodes.map((node) => (node.type === 'Function' ? node.name.value : undefined)));
  return nodes.some((call) => {
    const name = call.type === 'Command' ? call.name?.value : undefined;
    if (name === undefined || !functions.has(name)) return false;
    let isApart = false;
    for (let at = parents.get(call); at !== undefined; at = parents.get(at)) {
      if (isApart && at.type === 'Function' && at.name.value === name) return true;
      isApart ||= at.type === 'Pipeline' || (at.type === 'Statement' && at.background === true);
    }
    return false;
  });
}
