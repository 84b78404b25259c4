import { serveRunEngine } from '@ravi/testkit/run-engine';
import { createPgBossRunEngine } from '../src/index.ts';

const [url = '', schema = '', settings = '{}'] = process.argv.slice(2);
await serveRunEngine(await createPgBossRunEngine({ url, schema, ...(JSON.parse(settings) as object) }));
