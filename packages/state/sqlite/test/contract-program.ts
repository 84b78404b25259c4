import { serveStateStoreRaces } from '@ravi/testkit/state-store';
import { createSqliteStateStore } from '../src/index.ts';

await serveStateStoreRaces(await createSqliteStateStore({ file: process.argv[2] ?? '' }));
