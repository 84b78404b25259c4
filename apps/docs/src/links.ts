import { posix } from 'node:path';
import { exists, read } from './repository.ts';

/** A link from one file of the repository to another. */
export interface Target {
  /** Path from the root of the repository. For a folder it is the path of the folder's README. */
  readonly path: string;
  /** Heading in it, as an anchor; empty when the link names none. */
  readonly anchor: string;
}

/** Resolves a link of the Markdown file `from`. Returns `undefined` when it leaves the repository. */
export function targetOf(from: string, href: string): Target | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(href)) return undefined;
  const [path = '', anchor = ''] = decodeURI(href).split('#');
  if (path === '') return { path: from, anchor };
  const full = posix.normalize(posix.join(posix.dirname(from), path)).replace(/\/$/, '');
  const readme = posix.join(full, 'README.md');
  return { path: exists(readme) ? readme : full, anchor };
}

/** Returns one line for each link of a Markdown file that points at a missing file or heading. */
export function linkProblems(from: string, text: string = read(from)): readonly string[] {
  return [...withoutCode(text).matchAll(/\]\(([^()\s]+)\)/g)].flatMap(([, href = '']) => {
    const target = targetOf(from, href);
    if (target === undefined) return [];
    if (!exists(target.path)) return [`${from}: ${href} does not exist`];
    if (target.anchor === '' || anchorsOf(target.path).has(target.anchor)) return [];
    return [`${from}: ${target.path} has no heading #${target.anchor}`];
  });
}

/** The anchor of a heading, as GitHub makes it: the same link works in the repository and on the site. */
export function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Mark}\p{Number}\p{Connector_Punctuation} -]/gu, '')
    .replaceAll(' ', '-');
}

function anchorsOf(path: string): ReadonlySet<string> {
  const headings = withoutFences(read(path)).matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    Array.from(headings, ([, heading = '']) => slug(heading.replaceAll(/[`*]|\]\([^)]*\)|\[/g, '').trim())),
  );
}

function withoutCode(text: string): string {
  return withoutFences(text).replaceAll(/`[^`\n]*`/g, '`code`');
}

function withoutFences(text: string): string {
  return text.replaceAll(/^( *)(```+|~~~+).*\n[\s\S]*?^\1\2 *$/gm, '');
}
