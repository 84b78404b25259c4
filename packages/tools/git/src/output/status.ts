/** State of the work tree. */
export interface GitStatus {
  /** Current branch; absent when no branch is checked out. */
  readonly branch?: string;
  /** Digest of the current commit; absent before the first one. */
  readonly head?: string;
  readonly upstream?: string;
  /** Commits that the upstream does not have. */
  readonly toPush?: number;
  /** Commits of the upstream that the branch does not have. */
  readonly toPull?: number;
  readonly files: readonly StatusFile[];
}

/** File that differs from the current commit. */
export interface StatusFile {
  readonly path: string;
  /** Path before a rename. */
  readonly from?: string;
  readonly state: 'changed' | 'untracked' | 'conflict';
  /** Change in the index, for the next commit: `added`, `modified`, … Absent for none. */
  readonly staged?: string;
  /** Change in the work tree that is not in the index. */
  readonly unstaged?: string;
}

const changes: Readonly<Record<string, string>> = {
  M: 'modified',
  A: 'added',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'type changed',
};

/** Parses the output of `git status --porcelain=v2 --branch -z`. */
export function readStatus(output: string): GitStatus {
  const entries = output.split('\0');
  const head: { branch?: string; head?: string; upstream?: string; toPush?: number; toPull?: number } = {};
  const files: StatusFile[] = [];
  for (let at = 0; at < entries.length; at += 1) {
    const entry = entries[at] ?? '';
    const kind = entry[0];
    if (kind === '#') readHead(entry, head);
    else if (kind === '?') files.push({ path: entry.slice(2), state: 'untracked' });
    else if (kind === 'u') files.push({ path: afterFields(entry, 10), state: 'conflict' });
    else if (kind === '1') files.push({ path: afterFields(entry, 8), state: 'changed', ...changesOf(entry) });
    else if (kind === '2') {
      at += 1;
      files.push({ path: afterFields(entry, 9), from: entries[at] ?? '', state: 'changed', ...changesOf(entry) });
    }
  }
  return { ...head, files };
}

function readHead(
  entry: string,
  head: { branch?: string; head?: string; upstream?: string; toPush?: number; toPull?: number },
): void {
  const [, name = '', ...rest] = entry.split(' ');
  const value = rest.join(' ');
  if (name === 'branch.oid' && value !== '(initial)') head.head = value;
  if (name === 'branch.head' && value !== '(detached)') head.branch = value;
  if (name === 'branch.upstream') head.upstream = value;
  const counts = /^\+(\d+) -(\d+)$/.exec(value);
  if (name === 'branch.ab' && counts !== null) {
    head.toPush = Number(counts[1]);
    head.toPull = Number(counts[2]);
  }
}

function changesOf(entry: string): Pick<StatusFile, 'staged' | 'unstaged'> {
  const staged = changes[entry[2] ?? ''];
  const unstaged = changes[entry[3] ?? ''];
  return { ...(staged === undefined ? {} : { staged }), ...(unstaged === undefined ? {} : { unstaged }) };
}

/** Returns the text after a number of fields that spaces end. */
function afterFields(entry: string, fields: number): string {
  let at = 0;
  for (let field = 0; field < fields; field += 1) at = entry.indexOf(' ', at) + 1;
  return entry.slice(at);
}

/** Returns lines for a reader. */
export function statusText(status: GitStatus): string {
  const { branch, head, upstream, toPush = 0, toPull = 0, files } = status;
  const place = branch === undefined ? `No branch, at ${head?.slice(0, 10) ?? ''}` : `On branch ${branch}`;
  const distance = upstream === undefined ? '' : `, ${toPush} commits to push to ${upstream} and ${toPull} to pull`;
  const first = `${place}${head === undefined ? ', before the first commit' : ''}${distance}`;
  if (files.length === 0) return `${first}\nNothing has changed`;
  return [first, ...files.map(statusLine)].join('\n');
}

function statusLine({ path, from, state, staged, unstaged }: StatusFile): string {
  const name = from === undefined ? path : `${from} => ${path}`;
  if (state !== 'changed') return `${state}: ${name}`;
  const parts = [
    staged === undefined ? '' : `staged: ${staged}`,
    unstaged === undefined ? '' : `not staged: ${unstaged}`,
  ];
  return `${parts.filter(Boolean).join(', ')}: ${name}`;
}
