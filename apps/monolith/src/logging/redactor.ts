import { isSecretKey, redacted } from '@ravi/invoker';
import { isKernelError } from '@ravi/kernel';

/** Takes secrets out of what leaves the process as a log, a trace or an event. */
export interface Redactor {
  /** The text without known secrets, credentials of HTTP and passwords in addresses, wherever they stand in it. */
  text(text: string): string;
  /** A plain copy of data for JSON, each string of it like {@link Redactor.text}. */
  strings<Value>(value: Value): Value;
  /** The same, and without the values of fields that are named like secrets. */
  fields(value: unknown): unknown;
}

/** A shorter one would take ordinary words with it. */
const minCharacters = 8;
/** A log may be given what refers to itself; data for JSON does not. */
const maxDepth = { fields: 8, strings: 100 } as const;
// Bounded, so that no text takes long.
const httpCredential = /\b(Bearer|Basic)(\s{1,4})([\w.~+/=-]{12,})/gi;
const passwordOfAddress = /\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@]{0,100}:)[^\s/@]{1,200}@/gi;

/** A redactor that knows these secrets, those of fewer than eight characters apart. */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const known = [...secrets].filter(({ length }) => length >= minCharacters);
  const spellings = new Set(known.flatMap((secret) => [secret, encodeURIComponent(secret)]));
  // Longer ones first, so that one inside another leaves nothing behind.
  const words = [...spellings].toSorted((left, right) => right.length - left.length);

  function text(from: string): string {
    let clean = from
      .replaceAll(httpCredential, (whole: string, scheme: string, gap: string, value: string) =>
        // Words of a language have no digits: "basic authentication" stays.
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
    text,
    strings: <Value>(value: Value) => copy(value, 'strings', 0) as Value,
    fields: (value) => copy(value, 'fields', 0),
  };
}

// Where a fault of our own came from is for the log alone.
function errorFields(error: Error): Readonly<Record<string, unknown>> {
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? { code: error.code } : {};
  const place = isKernelError(error) ? {} : { stack };
  return { name, message, ...code, ...place, ...(cause === undefined ? {} : { cause }) };
}
