import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folder of the repository. */
export const root: string = dirname(dirname(dirname(import.meta.dirname)));

/** True if a path from the root, with `/`, is a file or folder. */
export function exists(path: string): boolean {
  return existsSync(join(root, path));
}

/** Reads a file by its path from the root. */
export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Lists every Markdown file by its path from the root, sorted; installed and built files are left out. */
export function allMarkdownFiles(): readonly string[] {
  const exclude = (path: string): boolean => /(^|\/)(node_modules|dist)(\/|$)/.test(path);
  return globSync('**/*.md', { cwd: root, exclude })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted();
}

/** Lists the Markdown files that are written for readers: pages, READMEs and the files at the root. */
export function markdownFiles(): readonly string[] {
  return allMarkdownFiles().filter((path) => /^(?:docs\/.+|[^/]+|.+\/README)\.md$/.test(path));
}
