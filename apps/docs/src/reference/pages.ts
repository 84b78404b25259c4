import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exists, read, root } from '../repository.ts';
import { commandLinePage } from './command-line.ts';
import { configurationPage } from './configuration.ts';
import { httpApiPage } from './http-api.ts';

const pages: Readonly<Record<string, () => Promise<string>>> = {
  'docs/reference/configuration.md': configurationPage,
  'docs/reference/http-api.md': httpApiPage,
  'docs/reference/command-line.md': commandLinePage,
};

/** Writes the pages that come from the source. */
export async function writeReference(): Promise<void> {
  for (const [path, make] of Object.entries(pages)) writeFileSync(join(root, path), withNotice(await make()));
}

/** Which of these pages are not in step with the source, one line each. */
export async function referenceProblems(): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [path, make] of Object.entries(pages)) {
    const isCurrent = exists(path) && plain(read(path)) === plain(withNotice(await make()));
    if (!isCurrent) problems.push(`${path} is not in step with the source: run pnpm docs:reference`);
  }
  return problems;
}

function withNotice(page: string): string {
  return `${page}\n\n<!-- Written by pnpm docs:reference; edit the source instead. -->\n`;
}

/** Without what a formatter may change: the width of tables. */
function plain(page: string): string {
  return page.replaceAll(/-{3,}/g, '---').replaceAll(/[ \n]+/g, ' ');
}
