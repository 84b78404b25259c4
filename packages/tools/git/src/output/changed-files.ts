/** File with changes. Lines are absent for a binary file. */
export interface ChangedFile {
  readonly path: string;
  /** Path before a rename. */
  readonly from?: string;
  readonly added?: number;
  readonly removed?: number;
}

/** Parses the output of `--numstat -z`. */
export function readNumstat(output: string): readonly ChangedFile[] {
  const parts = output.split('\0');
  const files: ChangedFile[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const [, added = '', removed = '', path = ''] = /^\n?(\d+|-)\t(\d+|-)\t(.*)$/s.exec(parts[at] ?? '') ?? [];
    if (added === '') continue;
    const lines = added === '-' ? {} : { added: Number(added), removed: Number(removed) };
    if (path !== '') {
      files.push({ path, ...lines });
      continue;
    }
    // A rename: both paths follow.
    files.push({ path: parts[at + 2] ?? '', from: parts[at + 1] ?? '', ...lines });
    at += 2;
  }
  return files;
}

/** Returns one line for a reader. */
export function changedLine({ path, from, added, removed }: ChangedFile): string {
  const lines = added === undefined ? 'binary' : `+${added} -${removed}`;
  return from === undefined ? `${path} ${lines}` : `${from} => ${path} ${lines}`;
}
