import type { ChainError } from '@ravi/kernel';
import { excerptOf } from './excerpt.ts';
import { createLineIndex } from './line-index.ts';
import type { Position } from './line-index.ts';
import { originalOffset } from './offset-map.ts';
import type { ScriptCompiler } from './script-compiler.ts';

/** A script that a sandbox can run. */
export interface PreparedScript {
  readonly status: 'ok';
  /** The body of an asynchronous function that returns the script's value. */
  readonly code: string;
  /** The value is that of the last expression, which the script may not have meant as a result. */
  readonly implicitValue: boolean;
  /** Where a place in `code` lies in the source as the model wrote it. */
  toOriginal(position: Position): Position;
}

/** A script, or why it cannot run, in words for the model. */
export type ScriptPreparation = PreparedScript | { readonly status: 'error'; readonly error: ChainError };

/**
 * Makes what a model wrote runnable: TypeScript or JavaScript, in a Markdown fence or not, with top-level `await` and
 * `return`. The value is what it returns, else what a single function gives, what it exports as default, or its last
 * expression. Strings and line numbers stay as they are. Errors: `E_LIMIT_SOURCE`, `E_SCRIPT_SYNTAX`.
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

/** What is said of a source beyond its limit; `undefined` for one within it. */
export function sourceTooLarge(source: string, maxBytes: number): ScriptPreparation | undefined {
  const bytes = Buffer.byteLength(source);
  if (bytes <= maxBytes) return undefined;
  const message = `The script has ${bytes} bytes; the limit maxSourceBytes is ${maxBytes}`;
  return { status: 'error', error: { code: 'E_LIMIT_SOURCE', message } };
}
