import { createArtifacts } from './artifacts.ts';
import { capturePreludeBuiltins } from './builtins.ts';
import { createDurableGlobals } from './durable-globals.ts';
import { createDurableHost } from './durable-host.ts';
import { createDurableTimers } from './durable-timers.ts';
import { createArgumentEncoder } from './encode-arguments.ts';
import { createScriptErrors } from './errors.ts';
import { createTools } from './tools.ts';

/** Name of the function that starts a durable script; later calls have no effect. */
export const beginName: string = '__begin';

// The texts of functions call `__name` when a bundler keeps their names (`keepNames` of esbuild).
const opening = `'use strict';
const __name = (target) => target;
const builtins = (${capturePreludeBuiltins})();`;

const common = `const errors = (${createScriptErrors})(builtins);
const artifacts = (${createArtifacts})(builtins, host);
const encode = (${createArgumentEncoder})(builtins);
const tools = (${createTools})({ builtins, host, errors, artifacts, encode, toolNames });
const names = { tools, file: artifacts.file, artifacts: artifacts.maker, ...errors.classes };`;

const once = `${common}
return names;`;

const durable = `const durable = (${createDurableHost})(builtins, host);
const failLater = setTimeout;
const timers = (${createDurableTimers})(builtins, durable.time, (error) => failLater(() => { throw error; }, 0));
const { replacements, seed } = (${createDurableGlobals})(builtins, durable.time);
for (const [name, value] of Object.entries({ ...timers, ...replacements })) {
  builtins.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: false });
}
return (function (host) {
${common}
let hasBegun = false;
const begin = (now, random, maxInFlight) => {
  if (hasBegun) return;
  hasBegun = true;
  seed(random);
  durable.begin(now, maxInFlight);
};
return { ...names, ${beginName}: begin };
})(durable.host);`;

/**
 * Returns the `prelude` of a sandbox request: defines `tools`, `file` and the error classes for a script. For a script that
 * can be replayed, the host also controls time, random numbers and the order of replies. `toolNames` are the tools that the
 * script can list. Each part is the text of a function of this source tree, so it is type-checked here and needs no file at
 * run time.
 */
export function javascriptPrelude(options: {
  readonly isDurable: boolean;
  readonly toolNames: readonly string[];
}): string {
  const toolNames = `const toolNames = ${JSON.stringify(options.toolNames)};`;
  return `${opening}\n${toolNames}\n${options.isDurable ? durable : once}`;
}
