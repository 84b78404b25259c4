import { writeReference } from './pages.ts';

await writeReference();
