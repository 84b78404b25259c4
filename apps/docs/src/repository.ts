import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folder of the repository. */
export const root: string = dirname(dirname(dirname(import.meta.dirname)));

/** Whether a path from the root, with `/`, is a file or folder. */
export function exists(path: string): boolean {
  return existsSync(join(root, path));
}

/** The text of a file by its path from the root. */
export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Every Markdown file of the repository by its path from the root, sorted; without what is installed or built. */
export function allMarkdownFiles(): readonly string[] {
  const exclude = (path: string): boolean => /(^|\/)(node_modules|dist)(\/|$)/.test(path);
  return globSync('**/*.md', { cwd: root, exclude })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted();
}

/** Those that are written for readers of the repository. */
export function markdownFiles(): readonly string[] {
  return allMarkdownFiles().filter((path) => /^(?:docs\/.+|[^/]+|.+\/README)\.md$/.test(path));
}
