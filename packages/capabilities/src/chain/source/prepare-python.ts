import { sourceTooLarge } from './prepare-script.ts';
import type { ScriptPreparation } from './prepare-script.ts';
import { unwrapFence } from './unwrap-fence.ts';

/**
 * Makes Python that a model wrote runnable, in a Markdown fence or not; the guest reads it and tells what is wrong with
 * it. The value is what it returns, else its last expression, else its variable `result`. Errors: `E_LIMIT_SOURCE`.
 */
export function preparePython(source: string, options: { readonly maxSourceBytes: number }): ScriptPreparation {
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
