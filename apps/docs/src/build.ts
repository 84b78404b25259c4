import { dirname } from 'node:path';
import { build } from 'vitepress';
import { linkProblems } from './links.ts';
import { referenceProblems } from './reference/pages.ts';
import { markdownFiles } from './repository.ts';

const problems = [...markdownFiles().flatMap((path) => linkProblems(path)), ...(await referenceProblems())];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);

await build(dirname(import.meta.dirname));
