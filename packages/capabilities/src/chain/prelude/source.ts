import { createArtifacts } from './artifacts.ts';
import { capturePreludeBuiltins } from './builtins.ts';
import { createArgumentEncoder } from './encode-arguments.ts';
import { createScriptErrors } from './errors.ts';
import { createTools } from './tools.ts';

/**
 * What a script finds beside the language, as the `prelude` of a sandbox request: `tools`, `file` and the error classes. Each
 * part is a function of the source tree in its own text, so it is type-checked here and needs no file at run time.
 */
export const preludeSource: string = `'use strict';
const builtins = (${capturePreludeBuiltins})();
const errors = (${createScriptErrors})(builtins);
const artifacts = (${createArtifacts})(builtins, host);
const encode = (${createArgumentEncoder})(builtins);
const tools = (${createTools})({ builtins, host, errors, artifacts, encode });
return { tools, file: artifacts.file, ...errors.classes };`;
