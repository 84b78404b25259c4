import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Readable } from 'node:stream';
import { KernelError } from '@ravi/kernel';
import { joinLines } from './file-lines.ts';
import type { MetLine } from './file-lines.ts';
import { checkLinePattern, regexOf } from './line-regex.ts';
import { collectFirst, comparePaths } from './path-order.ts';
import { splitBytes, textOfRipgrep } from './ripgrep-records.ts';
import type { RipgrepRecord } from './ripgrep-records.ts';
import { isInScope, maxCollected, maxFileBytes } from './search-engine.ts';
import type {
  FileCount,
  LineMatch,
  LineMatches,
  LinePattern,
  LineSearch,
  SearchEngine,
  SearchScope,
} from './search-engine.ts';
import { mayHaveRulesAbove } from '../walk/ignore-files.ts';

const maxRecordBytes = 4_194_304;
const newLine = 0x0a;
// ripgrep itself starts one thread for each core, at most twelve. One without work sleeps for a millisecond, and meanwhile its core is idle.
const walkThreads = Math.min(12, 3 * availableParallelism());

/**
 * Creates the engine over the program at `path`. It is started without a shell, with an empty environment and no configuration file, in the
 * root of the workspace, and follows no links.
 */
export function createRipgrepEngine(path: string): SearchEngine {
  return {
    name: 'ripgrep',
    async files(listing) {
      const first = collectFirst(listing.wanted);
      const kind = ['--files', '--null', `--threads=${walkThreads}`];
      const argv = [...kind, ...scopeArguments(listing), '--', startOf(listing)];
      const isDecided = listing.globs?.every((glob) => glob.areNamesEnough) ?? true;
      await run(path, argv, listing, async (output) => {
        for await (const text of wholeRecords(output)) {
          let end = 0;
          for (let from = 0; (end = text.indexOf('\0', from)) !== -1; from = end + 1) {
            const start = text.startsWith('./', from) ? from + 2 : from;
            if (isDecided || isInScope(listing, text.slice(start, end))) first.add(text, start, end);
          }
        }
      });
      return { paths: first.paths(), total: first.total };
    },
    async lines(search) {
      checkLinePattern(search.pattern);
      const all = await findLines(path, search, []);
      // More than can be kept: again in the order of the paths, until there are enough.
      return all ?? ((await findLines(path, search, ['--sort', 'path'])) as LineMatches);
    },
    async counts(search) {
      checkLinePattern(search.pattern);
      const counts: FileCount[] = [];
      const argv = ['--count', '--with-filename', '--null', ...lineArguments(search)];
      await run(path, argv, search, async (output) => {
        // The path ends with NUL and the count with a new line, so that a path may contain one.
        let file: string | undefined;
        for await (const piece of splitCounts(output)) {
          if (file === undefined) file = pathOf(piece);
          else {
            if (isInScope(search, file)) counts.push({ path: file, count: Number(piece) });
            file = undefined;
          }
        }
      });
      return counts.toSorted((left, right) => comparePaths(left.path, right.path));
    },
  };
}

function scopeArguments({ workspace, start, globs, usesGitignore }: SearchScope): readonly string[] {
  const names = globs?.every((glob) => glob.names !== undefined)
    ? [...new Set(globs.flatMap((glob) => glob.names ?? []))]
    : [];
  return [
    '--no-config',
    '--no-messages',
    '--hidden',
    '--glob=!.git',
    '--no-require-git',
    '--no-ignore-global',
    '--no-ignore-exclude',
    '--no-ignore-dot',
    ...(usesGitignore ? [] : ['--no-ignore']),
    // ripgrep compares each path with the folders above, even if they have no rules, which takes a third of its processor time.
    ...(usesGitignore && !mayHaveRulesAbove(workspace, start) ? ['--no-ignore-parent'] : []),
    // Only names: the patterns of paths are compared afterwards, so that both engines understand them in the same way.
    ...names.map((name) => `--type-add=wanted:${name}`),
    ...(names.length > 0 ? ['--type=wanted'] : []),
  ];
}

function lineArguments(search: SearchScope & { readonly pattern: LinePattern }): readonly string[] {
  const { ignoresCase } = search.pattern;
  return [
    ...scopeArguments(search),
    '--no-mmap',
    '--crlf',
    `--max-filesize=${maxFileBytes}`,
    '--dfa-size-limit=64M',
    ignoresCase ? '--ignore-case' : '--case-sensitive',
    `--regexp=${regexOf(search.pattern)}`,
    '--',
    startOf(search),
  ];
}

function startOf({ start }: SearchScope): string {
  return start === '.' ? './' : `./${start}`;
}

function pathOf(text: string): string {
  return text.startsWith('./') ? text.slice(2) : text;
}

// `undefined` if there were more matches than are kept, which ends the search: which of them come first depends on threads.
async function findLines(path: string, search: LineSearch, order: readonly string[]): Promise<LineMatches | undefined> {
  const { contextLines, wanted } = search;
  const isSorted = order.length > 0;
  const files = new Map<string, readonly LineMatch[]>();
  let met: MetLine[] = [];
  let count = 0;
  let isComplete = true;
  const add = (piece: Buffer): void => {
    // A record that was cut is a line of megabytes, which has no readable text.
    if (piece.length >= maxRecordBytes) return;
    const { type, data } = JSON.parse(piece.toString()) as RipgrepRecord;
    if (type === 'begin') met = [];
    else if (type === 'match' || type === 'context') {
      const text = textOfRipgrep(data.lines).replace(/\r?\n$/u, '');
      met.push({ line: data.line_number ?? 0, text, isMatch: type === 'match' });
    } else if (type === 'end' && data.binary_offset == null) {
      const file = pathOf(textOfRipgrep(data.path));
      if (!isInScope(search, file)) return;
      const matches = joinLines(file, met, contextLines);
      files.set(file, matches);
      count += matches.length;
      isComplete = count <= Math.max(maxCollected, wanted);
    }
  };
  const argv = ['--json', ...order, `--context=${contextLines}`, `--max-count=${Math.max(wanted, maxCollected) + 1}`];
  await run(path, [...argv, ...lineArguments(search)], search, async (output) => {
    for await (const pieces of splitBytes(output, newLine, maxRecordBytes)) {
      for (const piece of pieces) {
        add(piece);
        if (!isComplete) return;
      }
    }
  });
  if (!isComplete && !isSorted) return undefined;
  return { matches: [...files.keys()].toSorted(comparePaths).flatMap((file) => files.get(file) ?? []), isComplete };
}

// The output as far as its last NUL: many records at once, because a turn of the event loop for each would take most of the time.
async function* wholeRecords(output: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of output) {
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = all.lastIndexOf(0) + 1;
    rest = all.subarray(end);
    if (end > 0) yield all.toString('utf8', 0, end);
  }
}

async function* splitCounts(output: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  let separator = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of output) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(separator); end !== -1; end = rest.indexOf(separator)) {
      yield rest.toString('utf8', 0, end);
      rest = rest.subarray(end + 1);
      separator = separator === 0 ? newLine : 0;
    }
  }
}

// Returns when `read` has ended and the program is gone. A reader that stops early ends the program.
async function run(
  path: string,
  argv: readonly string[],
  { workspace, signal }: SearchScope,
  read: (output: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  signal.throwIfAborted();
  const child = spawn(path, argv, {
    cwd: workspace.root,
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const closed = once(child, 'close') as Promise<[code: number | null]>;
  // The promise rejects with the error of a program that cannot be started; it is awaited below.
  closed.catch(() => undefined);
  const stop = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  const complaint = collectComplaint(child);
  try {
    await read(child.stdout as AsyncIterable<Buffer>);
  } finally {
    // One that has written everything ends on its own, with a status that says if its pattern was understood.
    if (!child.stdout.readableEnded) stop();
    signal.removeEventListener('abort', stop);
  }
  const [code] = await closed;
  signal.throwIfAborted();
  if (code === 2) refuse(complaint());
}

function collectComplaint(child: ChildProcessByStdio<null, Readable, Readable>): () => string {
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < 2000) text += chunk;
  });
  return () => text;
}

// Files that cannot be read give the same status; without a message they are left out like binary ones.
function refuse(complaint: string): void {
  if (!/regex parse error|could not be compiled|compiled regex exceeds|not allowed in a regex/u.test(complaint)) return;
  const reason = complaint.replace(/^rg: /u, '').trim().slice(0, 500);
  throw new KernelError('E_ARGUMENTS_INVALID', `The pattern cannot be used: ${reason}`, { hadNoEffect: true });
}
