import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exists, read, root } from '../repository.ts';
import { commandLinePage } from './command-line.ts';
import { configurationPage } from './configuration.ts';
import { httpApiPage } from './http-api.ts';
import { modelErrorsPage } from './model-errors.ts';

const pages: Readonly<Record<string, () => Promise<string>>> = {
  'docs/reference/configuration.md': configurationPage,
  'docs/reference/http-api.md': httpApiPage,
  'docs/reference/command-line.md': commandLinePage,
  'docs/reference/model-errors.md': modelErrorsPage,
};

/** Writes the pages that come from the source. */
export async function writeReference(): Promise<void> {
  for (const [path, make] of Object.entries(pages)) writeFileSync(join(root, path), withNotice(await make()));
}

/** Returns one line for each of these pages that is out of date. */
export async function referenceProblems(): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [path, make] of Object.entries(pages)) {
    const isCurrent = exists(path) && read(path) === withNotice(await make());
    if (!isCurrent) problems.push(`${path} is out of date: run npm run docs:reference`);
  }
  return problems;
}

function withNotice(page: string): string {
  return `${page}\n\n<!-- Written by pnpm docs:reference; edit the source instead. -->\n`;
}
