import { dirname } from 'node:path';

import { runExamples } from './testing/examples.ts';
import { runContractSuites } from './testing/node-test.ts';
import { closingLine, failureLines, skipLines } from './testing/outcome.ts';
import { missingParts } from './testing/required.ts';
import { runVitest } from './testing/vitest.ts';

const root = dirname(import.meta.dirname);
const filters = process.argv.slice(2);

const outcomes = await runVitest(root, filters);
if (filters.length === 0) {
  outcomes.push(...(await runContractSuites(root)));
  outcomes.push(...runExamples(root));
  if (process.env['CI']) outcomes.push(...missingParts(outcomes));
}

for (const line of skipLines(outcomes)) console.log(line);
const failures = failureLines(outcomes);
for (const line of failures) console.log(line);

const ran = outcomes.some((outcome) => outcome.status === 'passed');
if (!ran) console.error('No test passed: nothing is proved.');

console.log(closingLine(outcomes));
process.exit(ran && failures.length === 0 ? 0 : 1);
