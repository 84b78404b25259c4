// Plain JavaScript for any Node from 18 on. Imports every packed package and prints `{ name: message }`: an empty message
// for one that loads.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = join(dirname(fileURLToPath(import.meta.url)), 'node_modules', '@ravi');
const messages = {};
for (const name of readdirSync(packages).map((folder) => `@ravi/${folder}`)) {
  try {
    await import(name);
    messages[name] = '';
  } catch (error) {
    messages[name] = String(error.message);
  }
}
console.log(JSON.stringify(messages));
