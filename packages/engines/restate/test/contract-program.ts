import { serveRunEngine } from '@ravi/testkit/run-engine';
import { createRestateRunEngine } from '../src/index.ts';

const [options = '{}'] = process.argv.slice(2);
await serveRunEngine(await createRestateRunEngine(JSON.parse(options) as object));
