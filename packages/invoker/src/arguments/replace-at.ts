/** A copy of `target` with `value` at `path`; only the objects on the way are copied. */
export function replaceAt(target: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(target))
    return target.map((child: unknown, index) => (index === step ? replaceAt(child, rest, value) : child));
  const object = target as Readonly<Record<string, unknown>>;
  return { ...object, [step]: replaceAt(object[step], rest, value) };
}
