import { createRecordCodec } from '../protocol/records.ts';
import { captureBuiltins } from './builtins.ts';
import { createCalls } from './calls.ts';
import { createConsole } from './console.ts';
import { createErrorReader } from './describe-error.ts';
import { exerciseRuntime } from './exercise.ts';
import { createInspect } from './inspect.ts';
import { createRuntime } from './runtime.ts';
import { createSerializer } from './serialize.ts';
import { createTimers } from './timers.ts';
import { createWebGlobals } from './web-globals.ts';

/** The file name of the script in stack traces. */
export const scriptName = 'script.js';

/**
 * Definition of the function that the texts of functions call when a bundler keeps their names (`keepNames` of esbuild). It
 * does nothing.
 */
export const nameKeeper = 'const __name = (target) => target;';

/**
 * The guest runtime as one JavaScript expression whose value is a `GuestRuntime`. Each part is the text of a function of
 * this source tree, so it is type-checked here and needs no file at run time, bundled or not.
 */
export const guestSource: string = `(() => {
'use strict';
${nameKeeper}
const builtins = (${captureBuiltins})();
const codec = (${createRecordCodec})(builtins);
const inspect = (${createInspect})(builtins);
const parts = {
  builtins, codec, inspect, globals: (${createWebGlobals})(),
  serialize: (${createSerializer})(builtins),
  readError: (${createErrorReader})(builtins, inspect, ${JSON.stringify(scriptName)}),
  createConsole: ${createConsole},
  createCalls: ${createCalls},
  createTimers: ${createTimers},
};
const create = ${createRuntime};
(${exerciseRuntime})(create(parts), codec);
return create(parts);
})()`;
