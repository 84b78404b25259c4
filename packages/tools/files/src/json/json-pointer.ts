import { KernelError } from '@ravi/kernel';
import type { JsonValue } from '@ravi/kernel';
import { show } from '@ravi/tools-kit';

const unchanged = { hadNoEffect: true } as const;

/** Schema of a JSON pointer. */
export const pointerSchema = {
  type: 'string',
  maxLength: 4096,
  description: 'JSON pointer (RFC 6901), such as /scripts/test or /items/0. Empty for the whole document',
} as const;

/**
 * Splits a pointer into its parts.
 * @throws KernelError `E_ARGUMENTS_INVALID` for a text that is not a pointer
 */
export function readPointer(pointer: string): readonly string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/u.test(pointer)) {
    const message = `${show(pointer)} is not a JSON pointer. One begins with "/"; "~" is written "~0", and "/" in a name "~1"`;
    throw new KernelError('E_ARGUMENTS_INVALID', message, unchanged);
  }
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns the index that a part of a pointer names in a list; `undefined` if it is not one. */
export function readIndex(part: string): number | undefined {
  return /^(?:0|[1-9]\d{0,9})$/u.test(part) ? Number(part) : undefined;
}

/**
 * Returns the value at a pointer.
 * @throws KernelError `E_FILE_JSON` naming the first part that does not exist, and what there is
 */
export function valueAt(root: JsonValue, parts: readonly string[], path: string): JsonValue {
  let value = root;
  for (const [index, part] of parts.entries()) {
    const child = childOf(value, part);
    if (child === undefined) throw missing(value, parts.slice(0, index + 1), path);
    value = child;
  }
  return value;
}

function childOf(value: JsonValue, part: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    const index = readIndex(part);
    return index === undefined ? undefined : (value as readonly JsonValue[])[index];
  }
  return Object.hasOwn(value, part) ? (value as Readonly<Record<string, JsonValue>>)[part] : undefined;
}

function missing(value: JsonValue, parts: readonly string[], path: string): KernelError {
  const pointer = parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return new KernelError(
    'E_FILE_JSON',
    `${show(path)} has nothing at ${show(pointer)}: there is ${describe(value)}`,
    unchanged,
  );
}

function describe(value: JsonValue): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value !== 'object' || value === null) return `the value ${show(JSON.stringify(value))}`;
  const names = Object.keys(value);
  const more = names.length > 20 ? ` and ${names.length - 20} more` : '';
  return `an object with ${names.length === 0 ? 'no names' : show(names.slice(0, 20).join(', ')) + more}`;
}
