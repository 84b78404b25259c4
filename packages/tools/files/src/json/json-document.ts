import { parse } from '@humanwhocodes/momoa';
import type { DocumentNode } from '@humanwhocodes/momoa';
import { KernelError } from '@ravi/kernel';
import type { JsonValue } from '@ravi/kernel';
import { show } from '@ravi/tools-kit';

const unchanged = { hadNoEffect: true } as const;
/** More would exceed the stack of the parser that accepts comments. */
const maxDepth = 500;

/**
 * Parses JSON, with comments and commas after the last entry if there are any.
 * @throws KernelError `E_FILE_JSON` with the line of the first mistake, or for text that is nested too deeply
 */
export function parseJson(text: string, path: string): JsonValue {
  checkDepth(text, path);
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return JSON.parse(withoutExtensions(text, parseTree(text, path))) as JsonValue;
  }
}

/**
 * Parses JSON as {@link parseJson} into a tree with the offsets of all values and tokens.
 * @throws KernelError `E_FILE_JSON`
 */
export function parseTree(text: string, path: string): DocumentNode {
  try {
    return parse(text, { mode: 'jsonc', tokens: true, allowTrailingCommas: true });
  } catch (error) {
    throw mistake(text, error as Partial<ParseMistake>, path);
  }
}

/** Error of the parser. */
interface ParseMistake {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

// Puts blanks in place of comments and of commas after which no entry comes.
function withoutExtensions(text: string, { tokens = [] }: DocumentNode): string {
  const isComment = (type: string | undefined): boolean => type === 'LineComment' || type === 'BlockComment';
  const values = tokens.filter(({ type }) => !isComment(type));
  const last = new Set(
    values.filter(({ type }, index) => type === 'Comma' && /^R/u.test(values[index + 1]?.type ?? '')),
  );
  const parts: string[] = [];
  let end = 0;
  for (const token of tokens) {
    if (!isComment(token.type) && !last.has(token)) continue;
    parts.push(text.slice(end, token.loc.start.offset));
    end = token.loc.end.offset;
  }
  return [...parts, text.slice(end)].join(' ');
}

// Counts brackets outside of texts.
function checkDepth(text: string, path: string): void {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\\n]|\\.)*"|[[\]{}]/gu)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    if (depth > maxDepth) {
      throw new KernelError(
        'E_FILE_JSON',
        `${show(path)} has more than ${maxDepth} lists and objects in each other`,
        unchanged,
      );
    }
  }
}

function mistake(
  text: string,
  { message = '', line = 1, column = 1 }: Partial<ParseMistake>,
  path: string,
): KernelError {
  const what = text.trim() === '' ? 'it is empty' : message.replace(/ \(\d+:\d+\)$/u, '').slice(0, 200);
  const sentence = `${show(path)} is not JSON at line ${line}, column ${column}: ${what}`;
  return new KernelError('E_FILE_JSON', sentence, unchanged);
}
