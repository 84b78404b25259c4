import { redacted } from '@ravi/invoker';
import { isKernelError } from '@ravi/kernel';
import { isSecretKey, secretSpellings, withoutCompletionTokens } from '@ravi/support';

/** Removes secrets from logs, traces and events. */
export interface Redactor {
  /** The known secrets. */
  readonly secrets: readonly string[];
  /** Returns the text without known secrets, also encoded ones, tokens of calls, HTTP credentials and passwords in addresses. */
  text(text: string): string;
  /** Returns a plain copy of JSON data, each string redacted like {@link Redactor.text}. */
  strings<Value>(value: Value): Value;
  /** Returns such a copy without the values of fields with names of secrets. */
  fields(value: unknown): unknown;
}

/** Shorter secrets would match ordinary words. */
const minCharacters = 8;
/** Fields of a log may be cyclic; JSON data is not. */
const maxDepth = { fields: 8, strings: 100 } as const;
// Bounded repetition keeps matching linear.
const httpCredential = /\b(Bearer|Basic)(\s{1,4})([\w.~+/=-]{12,})/gi;
const passwordOfAddress = /\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@]{0,100}:)[^\s/@]{1,200}@/gi;

/** Creates a redactor of these secrets, except those of fewer than eight characters. */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const known = [...secrets].filter(({ length }) => length >= minCharacters);
  const spellings = new Set(known.flatMap(secretSpellings));
  // Longest first, so that a secret that contains another is removed whole.
  const words = [...spellings].toSorted((left, right) => right.length - left.length);

  function text(from: string): string {
    let clean = withoutCompletionTokens(from, redacted)
      .replaceAll(httpCredential, (whole: string, scheme: string, gap: string, value: string) =>
        // Ordinary words have no digits: "basic authentication" stays.
        /\d/.test(value) ? `${scheme}${gap}${redacted}` : whole,
      )
      .replaceAll(passwordOfAddress, `$1${redacted}@`);
    for (const word of words) clean = clean.replaceAll(word, redacted);
    return clean;
  }

  function copy(value: unknown, what: keyof typeof maxDepth, depth: number): unknown {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= maxDepth[what]) return '[too deep]';
    if (value instanceof Date) return value;
    if (ArrayBuffer.isView(value)) return { bytes: value.byteLength };
    if (Array.isArray(value)) return value.map((each) => copy(each, what, depth + 1));
    const fields = value instanceof Error ? errorFields(value) : value;
    return Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        what === 'fields' && isSecretKey(name) ? redacted : copy(field, what, depth + 1),
      ]),
    );
  }

  return {
    secrets: known,
    text,
    strings: <Value>(value: Value) => copy(value, 'strings', 0) as Value,
    fields: (value) => copy(value, 'fields', 0),
  };
}

// A KernelError is expected; anything else is a fault, and its stack is for the log only.
function errorFields(error: Error): Readonly<Record<string, unknown>> {
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? { code: error.code } : {};
  const place = isKernelError(error) ? {} : { stack };
  return { name, message, ...code, ...place, ...(cause === undefined ? {} : { cause }) };
}
