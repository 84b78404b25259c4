import { read } from './repository.ts';

const isPage = [
  /^docs\/(?!decisions\/000-template\.md).+\.md$/,
  /^(?:packages|apps|examples)\/.+\/README\.md$/,
  /^bench\/README\.md$/,
  /^(?:AGENTS|CONTRIBUTING|SECURITY)\.md$/,
];

/**
 * Where the site shows a Markdown file, by its path from the root of the repository: without extension and leading
 * slash. `undefined` for what is no page of the site.
 */
export function pageAddress(path: string): string | undefined {
  // What the repository says at its front, the site says on its first page.
  if (path === 'README.md') return 'index';
  if (!isPage.some((pattern) => pattern.test(path))) return undefined;
  if (!path.includes('/')) return `project/${path.replace(/\.md$/, '').toLowerCase()}`;
  return path
    .replace(/^docs\//, '')
    .replace(/^README\.md$/, 'index.md')
    .replace(/\/README\.md$/, '.md')
    .replace(/\.md$/, '');
}

/** The first heading of a Markdown file, without marks. */
export function pageTitle(path: string): string {
  const [, title] = /^# (.+)$/m.exec(read(path)) ?? [];
  if (title === undefined) throw new Error(`${path} has no heading of the first level`);
  return title.replaceAll('`', '');
}
