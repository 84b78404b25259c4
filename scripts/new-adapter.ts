import { AdapterRequestError, createAdapter } from './adapter/create.ts';
import { root } from './lib/workspace.ts';

try {
  const [port, name] = process.argv.slice(2);
  const folder = createAdapter(root, port, name);
  console.log(`Wrote ${folder}. Next:`);
  console.log('  npm run setup');
  console.log(`  npm test -- ${folder}   (red until the adapter keeps the contract of its port)`);
} catch (error) {
  if (!(error instanceof AdapterRequestError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
