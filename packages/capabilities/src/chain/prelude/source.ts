import { createArtifacts } from './artifacts.ts';
import { capturePreludeBuiltins } from './builtins.ts';
import { createDurableGlobals } from './durable-globals.ts';
import { createDurableHost } from './durable-host.ts';
import { createDurableTimers } from './durable-timers.ts';
import { createArgumentEncoder } from './encode-arguments.ts';
import { createScriptErrors } from './errors.ts';
import { createTools } from './tools.ts';

/** The name by which a durable script begins; it does nothing a second time. */
export const beginName: string = '__begin';

// The texts of functions call `__name` when a bundler keeps their names (`keepNames` of esbuild).
const opening = `'use strict';
const __name = (target) => target;
const builtins = (${capturePreludeBuiltins})();`;

const common = `const errors = (${createScriptErrors})(builtins);
const artifacts = (${createArtifacts})(builtins, host);
const encode = (${createArgumentEncoder})(builtins);
const tools = (${createTools})({ builtins, host, errors, artifacts, encode });
const names = { tools, file: artifacts.file, ...errors.classes };`;

/**
 * What a script finds beside the language, as the `prelude` of a sandbox request: `tools`, `file` and the error classes. Each
 * part is a function of the source tree in its own text, so it is type-checked here and needs no file at run time.
 */
export const preludeSource: string = `${opening}
${common}
return names;`;

/** The same for a script that can be replayed: time, chance and the order of answers are the host's. */
export const durablePreludeSource: string = `${opening}
const durable = (${createDurableHost})(builtins, host);
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
