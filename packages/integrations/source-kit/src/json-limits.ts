import { jsonTextProblem } from '@ravi/support';

/** Limits of JSON that another program wrote. */
export interface JsonLimits {
  /** Bytes of the text in UTF-8. */
  readonly maxBytes: number;
  /** Objects and lists inside each other. */
  readonly maxDepth: number;
  /** Values of every kind. */
  readonly maxNodes: number;
}

/** Limits that suit one message: 16 MiB, 128 levels, 250 000 values. */
export const messageLimits: JsonLimits = { maxBytes: 16 * 1024 * 1024, maxDepth: 128, maxNodes: 250_000 };

/**
 * Returns why a JSON text is not parsed, `undefined` if it may be. It only reads characters: it takes no memory and no stack,
 * however deep the text nests.
 */
export function jsonTextExcess(text: string, limits: JsonLimits = messageLimits): string | undefined {
  const { maxBytes, maxDepth, maxNodes: maxValues } = limits;
  // Each unit is at least one byte, so a text that is too long is not measured.
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) return `is larger than ${maxBytes} bytes`;
  return jsonTextProblem(text, { maxDepth, maxValues });
}

/**
 * Returns why a value that was parsed elsewhere is not used, `undefined` if it may be. A value that appears at several places
 * counts at each of them, so one that contains itself is too deep. It does not recurse. Bytes are those of keys and strings,
 * and eight for each other value.
 */
export function jsonValueExcess(value: unknown, limits: JsonLimits = messageLimits): string | undefined {
  const { maxBytes, maxDepth, maxNodes } = limits;
  const open: { readonly values: readonly unknown[]; next: number }[] = [{ values: [value], next: 0 }];
  let nodes = 0;
  let bytes = 0;
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    if (level.next === level.values.length) {
      open.pop();
      continue;
    }
    const current = level.values[level.next++];
    if (++nodes > maxNodes) return `holds more than ${maxNodes} values`;
    if (typeof current === 'object' && current !== null) {
      // The first level holds the value itself.
      if (open.length > maxDepth) return `nests deeper than ${maxDepth} levels`;
      if (!Array.isArray(current)) for (const key of Object.keys(current)) bytes += Buffer.byteLength(key);
      open.push({ values: Array.isArray(current) ? current : Object.values(current), next: 0 });
    } else {
      bytes += typeof current === 'string' ? Buffer.byteLength(current) : 8;
    }
    if (bytes > maxBytes) return `is larger than ${maxBytes} bytes`;
  }
  return undefined;
}
