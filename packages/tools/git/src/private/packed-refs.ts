import { KernelError } from '@ravi/kernel';

const header = '# pack-refs with:';
const refLine = /^(?:[0-9a-f]{40}|[0-9a-f]{64}) (.+)$/i;
const peeledLine = /^\^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

/** Content of a file `packed-refs`. Texts are in Latin-1, so that the bytes of a name stay as they are. */
export interface PackedRefs {
  /** First line with the facts that hold for all refs; empty if there is none. */
  readonly header: string;
  /** Lines of the refs by their names. */
  readonly lines: ReadonlyMap<string, string>;
}

/** A file that does not exist. */
export const noPackedRefs: PackedRefs = { header: '', lines: new Map() };

/** Reads a file `packed-refs`. @throws KernelError `E_GIT_FAILED` for a line that git cannot read either */
export function readPackedRefs(content: Buffer): PackedRefs {
  const lines = new Map<string, string>();
  const texts = content.toString('latin1').split('\n');
  const first = texts[0]?.startsWith(header) === true ? texts[0] : '';
  let last: string | undefined;
  for (const [index, text] of texts.entries()) {
    if (text === '' || text.startsWith('#')) continue;
    const name = refLine.exec(text)?.[1];
    if (name !== undefined) {
      lines.set(name, `${text}\n`);
      last = name;
    } else if (last !== undefined && peeledLine.test(text)) {
      lines.set(last, `${lines.get(last) ?? ''}${text}\n`);
      last = undefined;
    } else {
      throw new KernelError('E_GIT_FAILED', `Line ${index + 1} of the file ".git/packed-refs" is not that of a ref`);
    }
  }
  return { header: first, lines };
}

/** Returns the content of a file `packed-refs`, sorted by the bytes of the names as git expects. */
export function packedRefsContent({ header: first, lines }: PackedRefs): Buffer {
  const sorted = [...lines].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const texts = sorted.map(([, text]) => text);
  return Buffer.from(first === '' ? texts.join('') : `${first}\n${texts.join('')}`, 'latin1');
}

/** Returns the refs of a private copy: those that are packed in the workspace, and over them `loose` ones, as digests by name. */
export function withLooseRefs({ lines }: PackedRefs, loose: ReadonlyMap<string, string>): PackedRefs {
  const all = new Map(lines);
  for (const [name, digest] of loose) all.set(name, `${digest} ${name}\n`);
  // Not `peeled`: git looks up itself which object a tag without a line for it leads to.
  return { header: `${header} sorted`, lines: all };
}

/**
 * Returns the refs for the workspace after a command changed those of its private copy from `before` to `after`: refs that it left alone stay
 * as they are in `original`, packed or not.
 */
export function changedRefs(original: PackedRefs, before: PackedRefs, after: PackedRefs): PackedRefs {
  const lines = new Map(original.lines);
  for (const name of before.lines.keys()) if (!after.lines.has(name)) lines.delete(name);
  for (const [name, line] of after.lines) if (!isSameRef(before, after, name)) lines.set(name, line);
  // A header is about all refs: one that git has written now does not hold for refs that stay as they are.
  return { header: original.lines.size === 0 ? after.header : original.header, lines };
}

/** True if a ref has the same digest in both. The line of the object that a tag leads to does not count: git adds it. */
export function isSameRef(one: PackedRefs, other: PackedRefs, name: string): boolean {
  return firstLine(one, name) === firstLine(other, name);
}

function firstLine({ lines }: PackedRefs, name: string): string | undefined {
  return lines.get(name)?.split('\n', 1)[0];
}
