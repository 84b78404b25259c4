import { createApprovalRequest } from '@ravi/testkit';
import { createCliApproval } from '../src/index.ts';

// A program that asks one question at the terminal it was started on and prints the answer.
const handler = createCliApproval();
const result = await handler.request(createApprovalRequest(), { signal: new AbortController().signal });
process.stdout.write(`\nRESULT ${JSON.stringify(result)}\n`);
