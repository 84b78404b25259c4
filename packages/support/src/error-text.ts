/** What was thrown as text for a log, whatever it is: even printing it may throw. */
export function errorText(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'something that cannot be printed';
  }
}

/**
 * Where a module that was imported is wrong, as `file:line:column`, or without the column or at all where Node does not
 * tell: it does for TypeScript and for imports that are not there, in the lines above the stack, and not for JavaScript.
 */
export function syntaxErrorPlace(thrown: unknown): string | undefined {
  if (!(thrown instanceof SyntaxError)) return undefined;
  const [above = ''] = (thrown.stack ?? '').split(/^SyntaxError/m, 1);
  const [head = '', ...lines] = above.split('\n');
  const [, place] = /^(?:file:\/\/)?(.+:\d+)$/.exec(head) ?? [];
  if (place === undefined) return undefined;
  const marks = lines.find((line) => /^\s*\^+$/.test(line));
  return marks === undefined ? place : `${place}:${marks.indexOf('^') + 1}`;
}
