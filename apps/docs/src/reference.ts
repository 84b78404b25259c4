import { writeReference } from './reference/pages.ts';

await writeReference();
