/** Intrinsics that a script in the host's realm could replace. */
const intrinsics: Readonly<Record<string, object>> = {
  Object,
  'Object.prototype': Object.prototype,
  Function,
  'Function.prototype': Function.prototype,
  Array,
  'Array.prototype': Array.prototype,
  'String.prototype': String.prototype,
  'Number.prototype': Number.prototype,
  'RegExp.prototype': RegExp.prototype,
  Promise,
  'Promise.prototype': Promise.prototype,
  'Map.prototype': Map.prototype,
  'Set.prototype': Set.prototype,
  Error,
  'Error.prototype': Error.prototype,
  'TypeError.prototype': TypeError.prototype,
  'Date.prototype': Date.prototype,
  'Uint8Array.prototype': Uint8Array.prototype,
  JSON,
  Reflect,
  Math,
  Symbol,
};

/** Remembers the host's intrinsics; the function given back names those that have changed since. */
export function rememberIntrinsics(): () => readonly string[] {
  const remembered = Object.entries(intrinsics).map(([name, holder]) => ({ name, holder, own: descriptorsOf(holder) }));
  return () =>
    remembered.flatMap(({ name, holder, own }) => {
      const now = descriptorsOf(holder);
      const keys = new Set([...own.keys(), ...now.keys()]);
      return [...keys].filter((key) => !isSame(own.get(key), now.get(key))).map((key) => `${name}.${String(key)}`);
    });
}

function descriptorsOf(holder: object): Map<string | symbol, PropertyDescriptor | undefined> {
  return new Map(Reflect.ownKeys(holder).map((key) => [key, Reflect.getOwnPropertyDescriptor(holder, key)]));
}

function isSame(before: PropertyDescriptor | undefined, now: PropertyDescriptor | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  return Object.is(before.value, now.value) && before.get === now.get && before.set === now.set;
}
