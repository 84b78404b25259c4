import type { Builtins } from './builtins.ts';

/** What became of the value of a script. */
export type SerializedValue =
  | { readonly status: 'none' }
  | { readonly status: 'text'; readonly text: string }
  | { readonly status: 'invalid'; readonly message: string }
  /** Larger than allowed; `atLeast` is a lower bound in bytes. */
  | { readonly status: 'too-large'; readonly atLeast: number };

/**
 * Turns the value of a script into JSON text, or says in plain words which part of it JSON cannot carry. The walk adds
 * up the least that the text can take, so that a value over the limit is refused before its text is built.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createSerializer(builtins: Builtins): (value: unknown, maxBytes: number) => SerializedValue {
  const { isArray, isView, ownKeys, getDescriptor, stringify, tagOf, slice, toText, regExpExec } = builtins;
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
    const stop = walk(value, '', undefined, 0);
    if (stop !== undefined) return stop;
    let text: string | undefined;
    try {
      text = stringify(value);
    } catch (error) {
      return { status: 'invalid', message: 'JSON.stringify failed on the returned value: ' + messageOf(error) };
    }
    if (text === undefined) return { status: 'none' };
    return text.length > maxBytes ? { status: 'too-large', atLeast: text.length } : { status: 'text', text };

    function walk(inner: unknown, key: string | number, parent: Place | undefined, depth: number): Stop | undefined {
      size += 2;
      if (typeof inner === 'string') size += inner.length;
      if (size > maxBytes + 2) return { status: 'too-large', atLeast: size };
      if (typeof inner === 'bigint') {
        return refuse('a BigInt', key, parent, 'convert it with Number() or String()');
      }
      if (typeof inner === 'function') return refuse('a function', key, parent, 'functions cannot be returned');
      if (typeof inner === 'symbol') return refuse('a symbol', key, parent, 'convert it with String()');
      if (typeof inner !== 'object' || inner === null) return undefined;
      for (let above = parent; above !== undefined; above = above.parent) {
        if (above.value === inner) {
          return refuse('a cycle', key, parent, 'it leads back to ' + pathOf(above.key, above.parent));
        }
      }
      if (depth > maxDepth) {
        return { status: 'invalid', message: 'The returned value is nested deeper than ' + maxDepth + ' levels' };
      }
      const place: Place = { key, value: inner, parent };
      if (isArray(inner)) {
        for (let index = 0; index < inner.length; index++) {
          const stopped = walk(inner[index], index, place, depth + 1);
          if (stopped !== undefined) return stopped;
        }
        return undefined;
      }
      if (typeof (inner as { toJSON?: unknown }).toJSON === 'function') return undefined;
      const tag = isView(inner) ? 'view' : slice(tagOf(inner), 8, -1);
      if (tag === 'view') return refuse('a typed array', key, parent, 'convert it with Array.from()');
      const hint = tag === 'Object' ? undefined : advice[tag];
      if (hint !== undefined) return refuse((tag === 'Error' ? 'an ' : 'a ') + tag, key, parent, hint);
      return walkProperties(inner, place, depth);
    }

    function walkProperties(inner: object, place: Place, depth: number): Stop | undefined {
      const keys = ownKeys(inner);
      for (let index = 0; index < keys.length; index++) {
        const key = keys[index];
        if (typeof key !== 'string') continue;
        const own = getDescriptor(inner, key);
        if (own === undefined || own.enumerable !== true || own.get !== undefined) continue;
        size += key.length + 2;
        const stopped = walk(own.value, key, place, depth + 1);
        if (stopped !== undefined) return stopped;
      }
      return undefined;
    }
  };

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
