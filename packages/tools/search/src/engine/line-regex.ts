import { KernelError } from '@ravi/kernel';
import { RE2JS } from 're2js';
import { regexSize } from './regex-size.ts';
import type { LinePattern } from './search-engine.ts';

const maxSize = 10_000;

/** Returns the regular expression of a pattern, in the syntax that RE2 and ripgrep share. */
export function regexOf({ text, isLiteral, isWholeWord }: LinePattern): string {
  const source = isLiteral ? text.replaceAll(/[\\.+*?()|[\]{}^$#&~\-]/gu, String.raw`\$&`) : text;
  return isWholeWord ? String.raw`\b(?:${source})\b` : source;
}

/**
 * Checks what no engine may be given: a pattern over several lines, or one that takes seconds to compile.
 * @throws KernelError `E_ARGUMENTS_INVALID` that names the limit
 */
export function checkLinePattern({ text, isLiteral }: LinePattern): void {
  if (/[\n\0]/u.test(text)) throw invalid('it has a new line or a NUL character. Lines are searched one by one');
  if (!isLiteral && regexSize(text) > maxSize) {
    throw invalid(`with its repeat counts multiplied out it has more than ${maxSize} characters`);
  }
}

/**
 * Compiles a pattern of lines with RE2, whose time is linear in the length of the line.
 * @throws KernelError `E_ARGUMENTS_INVALID` that names the mistake
 */
export function compileLinePattern(pattern: LinePattern): RE2JS {
  const { text, ignoresCase } = pattern;
  checkLinePattern(pattern);
  try {
    if (!pattern.isLiteral) RE2JS.compile(text);
    return RE2JS.compile(regexOf(pattern), ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    throw invalid(`${error instanceof Error ? error.message.slice(0, 300) : 'unknown syntax'}. ${hint(text)}`, error);
  }
}

function invalid(reason: string, cause?: unknown): KernelError {
  const options = { hadNoEffect: true, ...(cause === undefined ? {} : { cause }) };
  return new KernelError('E_ARGUMENTS_INVALID', `The pattern cannot be used: ${reason}`, options);
}

function hint(text: string): string {
  return /\(\?[=!<]|\\[1-9]/u.test(text)
    ? 'Look-around and references to groups do not exist here, because they take unbounded time.'
    : 'Set "literal" to search for the text itself.';
}
