/** Returns any thrown value as text for a log. Never throws, although printing the value may. */
export function errorText(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'something that cannot be printed';
  }
}

/** Returns the message of an error and of its causes, for an operator: a message for callers leaves out what causes say. */
export function messageWithCauses(error: Error): string {
  let text = error.message;
  // An error may repeat the message of its cause, but not that of the cause's own.
  const seen = new Set<unknown>([error]);
  for (let { cause } = error; cause instanceof Error && !seen.has(cause); { cause } = cause) {
    seen.add(cause);
    if (!text.includes(cause.message)) text += `: ${cause.message}`;
  }
  return text;
}

/**
 * Returns the place of a syntax error in an imported module, as `file:line:column`. Node reports it, in the lines above
 * the stack, for TypeScript and for missing imports; the column may be missing. `undefined` if Node reports no place, as
 * for JavaScript.
 */
export function syntaxErrorPlace(thrown: unknown): string | undefined {
  if (!(thrown instanceof SyntaxError)) return undefined;
  const [above = ''] = (thrown.stack ?? '').split(/^SyntaxError/m, 1);
  const [head = '', ...lines] = above.split('\n');
  // The address of a module that was loaded again has a query, which does not belong to the file.
  const [, ofUrl, ofPath, line] = /^(?:file:\/\/(.+?)(?:\?[^?]*)?|(.+))(:\d+)$/.exec(head) ?? [];
  if (line === undefined) return undefined;
  const place = `${ofUrl ?? ofPath}${line}`;
  const marks = lines.find((line) => /^\s*\^+$/.test(line));
  return marks === undefined ? place : `${place}:${marks.indexOf('^') + 1}`;
}
