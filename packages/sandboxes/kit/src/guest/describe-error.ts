import type { Builtins } from './builtins.ts';
import type { Inspect } from './inspect.ts';

/** A failure in text fields; absent ones are empty. */
export interface ErrorFields {
  readonly name: string;
  readonly message: string;
  readonly code: string;
  readonly line: string;
  readonly column: string;
}

/**
 * Creates a reader of thrown values. It reads as much as possible: user code may throw objects with getters, proxies or no
 * value at all. The position is that of the first stack frame in the script.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createErrorReader(
  builtins: Builtins,
  inspect: Inspect,
  scriptName: string,
): (thrown: unknown) => ErrorFields {
  const { getDescriptor, indexOf, slice, charCodeAt } = builtins;
  const maxNameLength = 128;
  const maxMessageLength = 8_192;

  return (thrown) => {
    if (typeof thrown !== 'object' || thrown === null) {
      const message = typeof thrown === 'string' ? thrown : inspect(thrown);
      return { name: 'Error', message: cut(message, maxMessageLength), code: '', line: '', column: '' };
    }
    const name = textOf(() => (thrown as Error).name);
    const message = textOf(() => (thrown as Error).message);
    const code = textOf(() => getDescriptor(thrown, 'code')?.value as unknown);
    const stack = textOf(() => (thrown as Error).stack) ?? '';
    return {
      name: cut(name === undefined || name === '' ? 'Error' : name, maxNameLength),
      message: cut(message ?? inspect(thrown), maxMessageLength),
      code: cut(code ?? '', maxNameLength),
      ...positionIn(stack),
    };
  };

  function textOf(read: () => unknown): string | undefined {
    try {
      const value = read();
      return typeof value === 'string' ? value : undefined;
    } catch {
      return undefined;
    }
  }

  function positionIn(stack: string): { readonly line: string; readonly column: string } {
    const frames = indexOf(stack, '\n    at ', 0);
    const mark = scriptName + ':';
    const found = frames === -1 ? -1 : indexOf(stack, mark, frames);
    if (found === -1) return { line: '', column: '' };
    const line = digitsAt(stack, found + mark.length);
    const column = digitsAt(stack, found + mark.length + line.length + 1);
    return { line, column };
  }

  function digitsAt(text: string, start: number): string {
    let end = start;
    while (charCodeAt(text, end) >= 48 && charCodeAt(text, end) <= 57) end++;
    return slice(text, start, end);
  }

  function cut(text: string, maxLength: number): string {
    return text.length > maxLength ? slice(text, 0, maxLength) + '…' : text;
  }
}
