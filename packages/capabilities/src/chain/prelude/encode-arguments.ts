import type { PreludeBuiltins } from './builtins.ts';

/**
 * Creates the function that encodes the arguments of a call as JSON. Values that JSON would silently lose or change are a
 * `TypeError` that names their place.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createArgumentEncoder(builtins: PreludeBuiltins): (args: unknown, tool: string) => string {
  const {
    isArray,
    isView,
    ownKeys,
    getDescriptor,
    getPrototypeOf,
    objectPrototype,
    stringify,
    tagOf,
    slice,
    toText,
    TypeError,
  } = builtins;
  const maxDepth = 128;
  const advice: Readonly<Record<string, string>> = {
    __proto__: null as never,
    Map: 'pass Object.fromEntries(map)',
    Set: 'pass Array.from(set)',
    Promise: 'await it first',
    RegExp: 'pass its source',
    Error: 'pass its message',
    ArrayBuffer: 'pass text, an array of numbers or an artifact',
  };

  interface Place {
    readonly key: string | number;
    readonly value: object;
    readonly parent: Place | undefined;
  }

  return (args, tool) => {
    const given = args === undefined ? {} : args;
    if (typeof given !== 'object' || given === null || isArray(given)) {
      const kind = given === null ? 'null' : isArray(given) ? 'an array' : 'a ' + typeof given;
      throw new TypeError(tool + ' takes one object of named arguments, not ' + kind);
    }
    if (!isFlat(given)) check(given, { key: '', value: given, parent: undefined }, 0);
    const text = stringify(given);
    if (text === undefined) throw new TypeError(tool + ' takes arguments that JSON can represent');
    return text;

    function check(value: object, place: Place, depth: number): void {
      for (let above = place.parent; above !== undefined; above = above.parent) {
        if (above.value === value) refuse('refers back to ' + pathOf(above), place, 'pass it without the cycle');
      }
      if (depth > maxDepth) refuse('is nested deeper than ' + maxDepth + ' levels', place, 'pass a flatter value');
      if (isArray(value)) {
        for (let index = 0; index < value.length; index++) checkChild(value[index], index, place, depth);
        return;
      }
      if (isView(value)) refuse('holds raw bytes', place, 'pass text, an array of numbers or an artifact');
      if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return;
      const tag = slice(tagOf(value), 8, -1);
      const hint = tag === 'Object' ? undefined : advice[tag];
      if (hint !== undefined) refuse('is a ' + tag, place, hint);
      const keys = ownKeys(value);
      for (let index = 0; index < keys.length; index++) {
        const key = keys[index];
        if (typeof key !== 'string') continue;
        const own = getDescriptor(value, key);
        if (own?.enumerable === true && own.get === undefined) checkChild(own.value, key, place, depth);
      }
    }

    function checkChild(value: unknown, key: string | number, parent: Place, depth: number): void {
      const type = typeof value;
      if (type === 'object' && value !== null) {
        check(value as object, { key, value: value as object, parent }, depth + 1);
        return;
      }
      if (type === 'number' && !((value as number) - (value as number) === 0)) {
        refuse('is ' + toText(value), { key, value: parent.value, parent }, 'pass a finite number');
      }
      if (type !== 'bigint' && type !== 'function' && type !== 'symbol') return;
      const hint = type === 'bigint' ? 'pass Number(value) or String(value)' : 'pass plain data';
      refuse('is a ' + (type === 'bigint' ? 'BigInt' : type), { key, value: parent.value, parent }, hint);
    }

    function refuse(what: string, place: Place, hint: string): never {
      throw new TypeError(tool + ': ' + pathOf(place) + ' ' + what + '; ' + hint);
    }
  };

  // Fast path: most arguments are a few strings and numbers, which JSON cannot lose.
  function isFlat(value: object): boolean {
    const prototype = getPrototypeOf(value);
    if (prototype !== objectPrototype && prototype !== null) return false;
    for (const key in value) {
      const item = (value as Readonly<Record<string, unknown>>)[key];
      const type = typeof item;
      if (type === 'string' || type === 'boolean' || item === null) continue;
      if (type !== 'number' || !((item as number) - (item as number) === 0)) return false;
    }
    return true;
  }

  function pathOf({ key, parent }: Place): string {
    if (parent === undefined) return 'args';
    return typeof key === 'number' ? pathOf(parent) + '[' + toText(key) + ']' : pathOf(parent) + '.' + key;
  }
}
