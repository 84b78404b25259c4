import { read } from './repository.ts';

const isPage = [
  /^docs\/(?!decisions\/000-template\.md).+\.md$/,
  /^(?:packages|apps|examples)\/.+\/README\.md$/,
  /^bench\/README\.md$/,
  /^(?:AGENTS|CONTRIBUTING|SECURITY)\.md$/,
];

/**
 * Returns the address of a Markdown file on the site, without extension and leading slash. `path` is from the root of the
 * repository. Returns `undefined` for a file that is not a page of the site.
 */
export function pageAddress(path: string): string | undefined {
  // Links to the repository's README lead to the first page of the site.
  if (path === 'README.md') return 'index';
  if (!isPage.some((pattern) => pattern.test(path))) return undefined;
  if (!path.includes('/')) return `project/${path.replace(/\.md$/, '').toLowerCase()}`;
  return path
    .replace(/^docs\//, '')
    .replace(/^README\.md$/, 'index.md')
    .replace(/\/README\.md$/, '.md')
    .replace(/\.md$/, '');
}

/** Returns the first heading of a Markdown file, without code marks. */
export function pageTitle(path: string): string {
  const [, title] = /^# (.+)$/m.exec(read(path)) ?? [];
  if (title === undefined) throw new Error(`${path} has no heading of the first level`);
  return title.replaceAll('`', '');
}
