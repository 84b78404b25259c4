import { createSeededRandom } from '../../../doubles/seeded-random.ts';
import { generateScript } from '../generate-script.ts';
import { sandboxClasses } from '../hostile-classes.ts';
import type { HostileDialect } from '../hostile-dialect.ts';
import { javascriptPrelude } from './javascript-prelude.ts';

/** JavaScript attacks its runtime: what it is given leads to the host wherever a realm was not kept apart. */
export const javascriptDialect: HostileDialect = {
  language: 'javascript',
  classes: sandboxClasses,
  prelude: javascriptPrelude,
  announced: (code) => `await call("ready", "");${code}`,
  normal: (index) =>
    `const all = await Promise.all([1, 2, 3].map((n) => call("echo", String(n * ${index})))); console.log(all); return { all, own: ({}).polluted ?? null }`,
  controls: {
    call: 'return await call("echo", "text")',
    error: 'return await call("x", "").catch((error) => [error.name, error.message])',
    value: 'return { list: [1, "two", null] }',
    console: 'console.log("text", 1); console.error("bad")',
  },
  generate: (seed) => generateScript(createSeededRandom(seed)),
};
