import { createSeededRandom } from '../../../doubles/seeded-random.ts';
import { generateScript } from '../generate-script.ts';
import { sandboxClasses } from '../hostile-classes.ts';
import type { HostileDialect } from '../hostile-dialect.ts';
import { javascriptPrelude } from './javascript-prelude.ts';
import { pythonPrelude } from './python-prelude.ts';
import type { HostileClass } from '../hostile-case.ts';
import { computation } from '../python/computation.ts';
import { floods } from '../python/floods.ts';
import { forgery } from '../python/forgery.ts';
import { lives } from '../python/lives.ts';
import { looks } from '../python/looks.ts';
import { memory } from '../python/memory.ts';
import { patches } from '../python/patches.ts';
import { privileges } from '../python/privileges.ts';
import { values } from '../python/values.ts';
import { walks } from '../python/walks.ts';

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

/** The classes of Python. */
const pythonClasses: readonly HostileClass[] = [
  walks,
  looks,
  privileges,
  values,
  forgery,
  patches,
  lives,
  computation,
  memory,
  floods,
];

/** Python attacks what its process reaches: the interpreter is the script's own, the wall is around it. */
export const pythonDialect: HostileDialect = {
  language: 'python',
  classes: pythonClasses,
  prelude: pythonPrelude,
  // Which of several guests it is: namespaces of processes have the same numbers on both sides.
  announced: (code) => `call("ready", tried(lambda: __import__("os").readlink("/proc/self/ns/pid")) or "")\n${code}`,
  normal: (index) => `import asyncio, builtins, os
all = list(await asyncio.gather(*[call("echo", str(n * ${index})) for n in [1, 2, 3]]))
print(all)
return {"all": all, "own": "left" if hasattr(builtins, "left") or os.path.exists("/workspace/left") else None}`,
  controls: {
    call: 'call("echo", "text")',
    error: 'try:\n    call("x", "")\nexcept Exception as error:\n    result = [error.name, str(error)]',
    value: 'return {"list": [1, "two", None]}',
    console: 'import sys\nprint("text", 1)\nprint("bad", file=sys.stderr)',
  },
};
