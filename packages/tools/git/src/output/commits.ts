/** One commit, for a script. */
export interface Commit {
  readonly hash: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly email: string;
  /** ISO 8601. */
  readonly date: string;
  readonly subject: string;
  readonly body: string;
}

// A NUL character cannot be in a commit, so it ends each field.
const fields = ['%H', '%P', '%an', '%ae', '%aI', '%s', '%b'];

/** Option with the format that {@link readCommits} reads. */
export const commitFormat: string = `--format=tformat:${fields.map((field) => `${field}%x00`).join('')}`;

/** Parses the output of a command with {@link commitFormat}. */
export function readCommits(output: string): readonly Commit[] {
  const parts = output.split('\0');
  const commits: Commit[] = [];
  for (let at = 0; at + fields.length <= parts.length; at += fields.length) {
    const [hash = '', parents = '', author = '', email = '', date = '', subject = '', body = ''] = parts.slice(at);
    commits.push({
      hash: hash.trim(),
      parents: parents.split(' ').filter(Boolean),
      author,
      email,
      date,
      subject,
      body: body.trimEnd(),
    });
  }
  return commits;
}

/** Returns one line for a reader. */
export function commitLine({ hash, date, author, subject }: Commit): string {
  return `${hash.slice(0, 10)} ${date.slice(0, 10)} ${author}: ${subject}`;
}
