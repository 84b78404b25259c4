import { invalid } from './errors.ts';

// Maximum UTF-8 bytes of JSON in one column.
const maxJsonBytes = 16 * 1024 * 1024;

/** Serializes a value as JSON, at most 16 MiB. @throws KernelError `E_STATE_INVALID` */
export function jsonText(value: unknown, what: string): string {
  const text = textOf(value, what);
  // A UTF-16 unit takes at most three bytes, so most texts need not be measured.
  const bytes = text.length * 3 <= maxJsonBytes ? 0 : Buffer.byteLength(text);
  if (bytes > maxJsonBytes) throw invalid(`${what} has ${bytes} bytes of JSON; the maximum is ${maxJsonBytes}`);
  return text;
}

function textOf(value: unknown, what: string): string {
  try {
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined) return text;
  } catch (cause) {
    throw invalid(`${what} cannot be stored as JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  throw invalid(`${what} cannot be stored as JSON: it is ${typeof value}`);
}
