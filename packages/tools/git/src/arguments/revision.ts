import { KernelError } from '@ravi/kernel';

const maxLength = 255;
// Space, control characters, and what separates or searches in revisions.
const forbidden = /[\p{Cc}\s:?*[\\]|\.\./u;

/**
 * Checks the name of a revision: a branch, tag, digest, or one of these with `~2`, `^` or `@{1}`. A range is not one revision.
 * @throws KernelError `E_ARGUMENTS_INVALID`
 */
export function checkRevision(revision: string, argument = 'revision'): string {
  return check(revision, argument, forbidden);
}

/**
 * Checks the name of a branch, tag or remote. git checks the rest of its rules.
 * @throws KernelError `E_ARGUMENTS_INVALID`
 */
export function checkName(name: string, argument: string): string {
  return check(name, argument, /[\p{Cc}\s:?*[\\~^]|\.\.|@\{|^[./]|[./]$|\.lock$/u);
}

function check(text: string, argument: string, pattern: RegExp): string {
  const problem =
    text === ''
      ? 'is empty'
      : text.length > maxLength
        ? `has more than ${maxLength} characters`
        : text.startsWith('-')
          ? 'begins with "-"'
          : pattern.test(text)
            ? 'has a character or part that is not allowed there'
            : undefined;
  if (problem === undefined) return text;
  const shown = JSON.stringify(text.length > 100 ? `${text.slice(0, 99)}…` : text);
  throw new KernelError('E_ARGUMENTS_INVALID', `${argument} ${shown} ${problem}`, { hadNoEffect: true });
}
