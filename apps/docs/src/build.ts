import { dirname, join } from 'node:path';
import { build } from 'vitepress';
import { claimProblems } from './claims.ts';
import { linkProblems } from './links.ts';
import { referenceProblems } from './reference/pages.ts';
import { markdownFiles } from './repository.ts';
import { searchProblems } from './search.ts';

const problems = [
  ...markdownFiles().flatMap((path) => linkProblems(path)),
  ...claimProblems(),
  ...(await referenceProblems()),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);

const folder = dirname(import.meta.dirname);
await build(folder);

const notFound = await searchProblems(join(folder, 'dist'));
for (const problem of notFound) console.error(problem);
if (notFound.length > 0) process.exitCode = 1;
