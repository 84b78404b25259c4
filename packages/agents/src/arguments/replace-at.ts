import type { JsonObject } from '@ravi/kernel';

/** A copy of `args` with `value` at `path`; only the objects on the way are copied. */
export function replaceAt(args: JsonObject, path: readonly (string | number)[], value: unknown): JsonObject {
  return replace(args, path, value) as JsonObject;
}

function replace(target: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(target))
    return target.map((child: unknown, index) => (index === step ? replace(child, rest, value) : child));
  const object = target as Readonly<Record<string, unknown>>;
  return { ...object, [step]: replace(object[step], rest, value) };
}
