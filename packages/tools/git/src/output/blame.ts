/** Line of a file, and the commit that wrote it. */
export interface BlameLine {
  /** From 1. */
  readonly line: number;
  readonly hash: string;
  readonly author: string;
  /** ISO 8601, in UTC. */
  readonly date: string;
  readonly subject: string;
  readonly text: string;
}

/** Parses the output of `git blame --porcelain`, which describes each commit at its first line. */
export function readBlame(output: string): readonly BlameLine[] {
  const commits = new Map<string, Map<string, string>>();
  const lines: BlameLine[] = [];
  let hash = '';
  let line = 0;
  for (const row of output.split('\n')) {
    if (row.startsWith('\t')) {
      const facts = commits.get(hash);
      const author = facts?.get('author') ?? '';
      const subject = facts?.get('summary') ?? '';
      lines.push({ line, hash, author, date: dateOf(facts?.get('author-time')), subject, text: row.slice(1) });
      continue;
    }
    const start = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(row);
    if (start !== null) {
      hash = start[1] ?? '';
      line = Number(start[2]);
      if (!commits.has(hash)) commits.set(hash, new Map());
      continue;
    }
    const space = row.indexOf(' ');
    if (space > 0) commits.get(hash)?.set(row.slice(0, space), row.slice(space + 1));
  }
  return lines;
}

/** Returns the date of seconds since 1970; the nearest one that exists for a commit with an impossible time. */
function dateOf(seconds = '0'): string {
  const limit = 8_640_000_000_000;
  const value = Math.min(Math.max(Number(seconds) || 0, -limit), limit);
  return new Date(value * 1_000).toISOString();
}

/** Returns lines for a reader. */
export function blameText(lines: readonly BlameLine[]): string {
  return lines
    .map(({ line, hash, author, date, text }) => `${line} ${hash.slice(0, 8)} ${date.slice(0, 10)} ${author}: ${text}`)
    .join('\n');
}
