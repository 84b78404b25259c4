import type { Builtins } from './builtins.ts';

/** Result of serializing the value of a script. */
export type SerializedValue =
  | { readonly status: 'none' }
  | { readonly status: 'text'; readonly text: string }
  | { readonly status: 'invalid'; readonly message: string }
  /** Larger than allowed; `atLeast` is a lower bound in bytes. */
  | { readonly status: 'too-large'; readonly atLeast: number };

/**
 * Creates a function that encodes the value of a script as JSON, or describes the part that JSON cannot represent. The
 * walk adds up a lower bound of the size, so that a value over the limit is refused before its text is built.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createSerializer(builtins: Builtins): (value: unknown, maxBytes: number) => SerializedValue {
  const { isArray, isView, getPrototypeOf, objectPrototype, hasOwn, stringify, tagOf, slice, toText, regExpExec } =
    builtins;
  const maxDepth = 200;
  const identifier = /^[A-Za-z_$][\w$]*$/;
  const advice: Record<string, string> = {
    __proto__: null as never,
    Map: 'convert it with Object.fromEntries() or Array.from()',
    Set: 'convert it with Array.from()',
    WeakMap: 'it cannot be returned',
    WeakSet: 'it cannot be returned',
    Promise: 'await it first',
    ArrayBuffer: 'convert it with Array.from(new Uint8Array(buffer))',
    Error: 'return its message',
    RegExp: 'return its source',
  };

  interface Place {
    readonly key: string | number;
    readonly value: object;
    readonly parent: Place | undefined;
  }
  type Stop = Exclude<SerializedValue, { status: 'none' | 'text' }>;

  return (value, maxBytes) => {
    if (value === undefined) return { status: 'none' };
    let size = 0;
    const simple =
      value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    const stop = simple ? undefined : walk(value, '', undefined, 0);
    if (stop !== undefined) return stop;
    if (typeof value === 'string' && value.length > maxBytes) return { status: 'too-large', atLeast: value.length + 2 };
    let text: string | undefined;
    try {
      text = stringify(value);
    } catch (error) {
      return { status: 'invalid', message: 'a value that JSON.stringify cannot take: ' + messageOf(error) };
    }
    if (text === undefined) return { status: 'none' };
    return text.length > maxBytes ? { status: 'too-large', atLeast: text.length } : { status: 'text', text };

    // Walks values that the loops below do not count: all except strings, numbers, booleans, null and undefined.
    function walk(inner: unknown, key: string | number, parent: Place | undefined, depth: number): Stop | undefined {
      if (typeof inner === 'bigint') return refuse('a BigInt', key, parent, 'convert it with Number() or String()');
      if (typeof inner === 'function') return refuse('a function', key, parent, 'functions cannot be returned');
      if (typeof inner === 'symbol') return refuse('a symbol', key, parent, 'convert it with String()');
      const value = inner as Record<string, unknown>;
      for (let above = parent; above !== undefined; above = above.parent) {
        if (above.value !== value) continue;
        return refuse('a cycle', key, parent, 'it refers back to ' + pathOf(above.key, above.parent));
      }
      if (depth > maxDepth) {
        return { status: 'invalid', message: 'a value nested deeper than ' + maxDepth + ' levels; flatten it' };
      }
      if (typeof value.toJSON === 'function') return undefined;
      const prototype = getPrototypeOf(value);
      const plain = prototype === objectPrototype || prototype === null;
      const place: Place = { key, value, parent };
      if (!plain && isArray(value)) return walkItems(value, place, depth);
      return (plain ? undefined : refuseKind(value, key, parent)) ?? walkProperties(value, place, depth);
    }

    function walkItems(items: readonly unknown[], place: Place, depth: number): Stop | undefined {
      for (let index = 0; index < items.length; index++) {
        const item = items[index];
        size += 2;
        if (typeof item === 'string') size += item.length;
        else if (typeof item !== 'number' && typeof item !== 'boolean' && item !== null && item !== undefined) {
          const stopped = walk(item, index, place, depth + 1);
          if (stopped !== undefined) return stopped;
        }
        if (size > maxBytes) return { status: 'too-large', atLeast: size };
      }
      return undefined;
    }

    function walkProperties(value: Record<string, unknown>, place: Place, depth: number): Stop | undefined {
      for (const key in value) {
        const item = value[key];
        if (item === undefined) continue;
        size += key.length + 4;
        if (typeof item === 'string') size += item.length;
        else if (typeof item !== 'number' && typeof item !== 'boolean' && item !== null) {
          const stopped = walk(item, key, place, depth + 1);
          if (stopped !== undefined && hasOwn(value, key)) return stopped;
        }
        if (size > maxBytes) return { status: 'too-large', atLeast: size };
      }
      return undefined;
    }
  };

  function refuseKind(value: object, key: string | number, parent: Place | undefined): Stop | undefined {
    if (isView(value)) return refuse('a typed array', key, parent, 'convert it with Array.from()');
    const tag = slice(tagOf(value), 8, -1);
    const hint = advice[tag];
    return hint === undefined ? undefined : refuse((tag === 'Error' ? 'an ' : 'a ') + tag, key, parent, hint);
  }

  function refuse(what: string, key: string | number, parent: Place | undefined, hint: string): Stop {
    return { status: 'invalid', message: what + ' at ' + pathOf(key, parent) + '; ' + hint };
  }

  function pathOf(key: string | number, parent: Place | undefined): string {
    if (parent === undefined) return '$';
    const start = pathOf(parent.key, parent.parent);
    if (typeof key === 'number') return start + '[' + toText(key) + ']';
    return regExpExec(identifier, key) === null ? start + '[' + stringify(key) + ']' : start + '.' + key;
  }

  function messageOf(error: unknown): string {
    try {
      return toText((error as { message?: unknown }).message);
    } catch {
      return 'it cannot be read';
    }
  }
}
