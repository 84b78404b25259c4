import type { ChainError, ChainPolicy, JsonObject, SandboxLanguage } from '@ravi/kernel';
import { originalOffset } from './offset-map.ts';
import { createScriptCompiler } from './script-compiler.ts';
import type { ScriptCompiler } from './script-compiler.ts';
import { createLineIndex, excerptOf, unwrapFence } from './text.ts';
import type { Position } from './text.ts';

/** A script and its input. */
export interface ChainSource {
  /** The script as a model wrote it. */
  readonly code: string;
  /** `javascript`, which includes TypeScript, when absent. */
  readonly language?: SandboxLanguage;
  /** The value of `input` in the script; the name is not defined when absent. */
  readonly input?: JsonObject;
}

/** A script that a sandbox can run. */
export interface PreparedScript {
  readonly status: 'ok';
  /** The body of an asynchronous function that returns the script's value. */
  readonly code: string;
  /** True if the value is that of the last expression, which the script may not have meant as a result. */
  readonly implicitValue: boolean;
  /** Returns the place in the source as the model wrote it for a place in `code`. */
  toOriginal(position: Position): Position;
}

/** A runnable script, or the reason why it cannot run, worded for the model. */
export type ScriptPreparation = PreparedScript | { readonly status: 'error'; readonly error: ChainError };

// Holds no state of any run, and no process until a script needs one.
const compiler = createScriptCompiler();

/** Makes a script of either language runnable, or returns the reason why it cannot run. */
export async function prepareChain(
  { code, language, input }: ChainSource,
  { maxSourceBytes }: Pick<ChainPolicy, 'maxSourceBytes'>,
): Promise<ScriptPreparation> {
  if (language === 'python') return preparePython(code, { maxSourceBytes });
  const script = await prepareScript(code, { compiler, maxSourceBytes });
  return script.status === 'error' || input === undefined ? script : withInput(script, input);
}

/**
 * Returns the reason why a script cannot start: it is too large, or its syntax is wrong. The syntax of Python is only
 * checked by the guest.
 */
export async function findSourceError(
  source: ChainSource,
  limits: Pick<ChainPolicy, 'maxSourceBytes'>,
): Promise<ChainError | undefined> {
  const prepared = await prepareChain(source, limits);
  return prepared.status === 'error' ? prepared.error : undefined;
}

/**
 * Makes JavaScript or TypeScript runnable, in a Markdown fence or not, with top-level `await` and `return`. The value of
 * the script is the value it returns, else the value of its only function, its default export, or its last expression.
 * Strings and line numbers stay as they are. Errors: `E_LIMIT_SOURCE`, `E_SCRIPT_SYNTAX`.
 */
export async function prepareScript(
  source: string,
  options: { readonly compiler: ScriptCompiler; readonly maxSourceBytes: number },
): Promise<ScriptPreparation> {
  const tooLarge = sourceTooLarge(source, options.maxSourceBytes);
  if (tooLarge !== undefined) return tooLarge;
  const compiled = await options.compiler.compile(source);
  if (compiled.status === 'problem') {
    const position = createLineIndex(source).positionOf(Math.min(compiled.offset, source.length));
    const error = {
      code: 'E_SCRIPT_SYNTAX',
      message: compiled.message,
      ...position,
      excerpt: excerptOf(source, position),
    };
    return { status: 'error', error };
  }
  const { code, map, implicitValue } = compiled;
  return {
    status: 'ok',
    code,
    implicitValue,
    toOriginal: (position) =>
      createLineIndex(source).positionOf(
        Math.min(originalOffset(map, createLineIndex(code).offsetOf(position)), source.length),
      ),
  };
}

// The guest parses Python and reports its errors. The value of the script is the value it returns, else its last
// expression, else its variable `result`.
function preparePython(source: string, options: { readonly maxSourceBytes: number }): ScriptPreparation {
  const tooLarge = sourceTooLarge(source, options.maxSourceBytes);
  if (tooLarge !== undefined) return tooLarge;
  const { text, start } = unwrapFence(source);
  const linesBefore = source.slice(0, start).split('\n').length - 1;
  return {
    status: 'ok',
    code: text,
    implicitValue: !/^[ \t]*return\b/m.test(text),
    toOriginal: ({ line, column }) => ({ line: line + linesBefore, column }),
  };
}

function sourceTooLarge(source: string, maxBytes: number): ScriptPreparation | undefined {
  const bytes = Buffer.byteLength(source);
  if (bytes <= maxBytes) return undefined;
  const message = `The script has ${bytes} bytes; the limit maxSourceBytes is ${maxBytes}`;
  return { status: 'error', error: { code: 'E_LIMIT_SOURCE', message } };
}

function withInput(script: PreparedScript, input: JsonObject): PreparedScript {
  // Encoded twice: `JSON.parse` of a string literal, because `__proto__` has a special meaning in an object literal.
  return withOpening(script, `const input=JSON.parse(${JSON.stringify(JSON.stringify(input))});`);
}

/** Puts `opening` before the script, on its first line, so that the line numbers of the script do not change. */
export function withOpening(script: PreparedScript, opening: string): PreparedScript {
  return {
    ...script,
    code: opening + script.code,
    toOriginal: ({ line, column }) =>
      script.toOriginal({ line, column: line === 1 ? Math.max(1, column - opening.length) : column }),
  };
}
