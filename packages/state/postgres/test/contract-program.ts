import { serveStateStoreRaces } from '@ravi/testkit/state-store';
import { createPostgresStateStore } from '../src/index.ts';

const [url = '', schema = ''] = process.argv.slice(2);
await serveStateStoreRaces(await createPostgresStateStore({ url, schema }));
