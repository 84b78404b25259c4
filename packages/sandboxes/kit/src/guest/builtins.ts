/** Built-ins that the guest runtime uses, captured before any user code runs; methods take `this` as their first parameter. */
export interface Builtins {
  readonly apply: typeof Reflect.apply;
  readonly defineProperty: typeof Reflect.defineProperty;
  readonly getDescriptor: typeof Reflect.getOwnPropertyDescriptor;
  readonly getPrototypeOf: (value: object) => object | null;
  readonly objectPrototype: object;
  readonly ownKeys: typeof Reflect.ownKeys;
  readonly hasOwn: (value: object, key: PropertyKey) => boolean;
  readonly freeze: <Value extends object>(value: Value) => Value;
  readonly isArray: (value: unknown) => value is unknown[];
  readonly isView: (value: unknown) => value is ArrayBufferView;
  readonly stringify: (value: unknown) => string | undefined;
  readonly toText: (value: unknown) => string;
  readonly toNumber: (value: unknown) => number;
  readonly now: () => number;
  readonly tagOf: (value: unknown) => string;
  readonly charCodeAt: (text: string, index: number) => number;
  readonly indexOf: (text: string, search: string, from: number) => number;
  readonly slice: (text: string, start: number, end: number) => string;
  readonly repeat: (text: string, count: number) => string;
  readonly isoDate: (date: Date) => string;
  readonly timeOf: (date: Date) => number;
  readonly functionText: (value: unknown) => string;
  readonly regExpText: (value: RegExp) => string;
  readonly regExpExec: (pattern: RegExp, text: string) => RegExpExecArray | null;
  readonly mapForEach: (map: unknown, each: (value: unknown, key: unknown) => void) => void;
  readonly setForEach: (set: unknown, each: (value: unknown) => void) => void;
  /** Creates an object without a prototype. */
  readonly createTable: <Value>() => Record<PropertyKey, Value>;
  readonly createMap: <Key, Value>() => Map<Key, Value>;
  readonly mapGet: <Key, Value>(map: Map<Key, Value>, key: Key) => Value | undefined;
  readonly mapSet: <Key, Value>(map: Map<Key, Value>, key: Key, value: Value) => unknown;
  readonly mapDelete: <Key, Value>(map: Map<Key, Value>, key: Key) => boolean;
  readonly Promise: PromiseConstructor;
  readonly then: (promise: unknown, onValue: (value: unknown) => void, onError: (error: unknown) => void) => unknown;
  readonly Error: ErrorConstructor;
  readonly TypeError: TypeErrorConstructor;
  readonly RangeError: RangeErrorConstructor;
}

/**
 * Captures the built-ins and removes those that a script does not need: shared memory of threads and WebAssembly.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function captureBuiltins(): Builtins {
  const scope = globalThis as Record<string, unknown>;
  for (const name of ['SharedArrayBuffer', 'Atomics', 'WebAssembly']) delete scope[name];

  const { bind, call } = Function.prototype;
  const uncurryThis = bind.bind(call) as unknown as (method: unknown) => never;
  // A getter blocks V8's hook: scripts keep their stack traces and cannot rewrite those of other code.
  Object.defineProperty(Error, 'prepareStackTrace', { get: () => undefined, set: () => {}, configurable: false });

  return {
    apply: Reflect.apply,
    defineProperty: Reflect.defineProperty,
    getDescriptor: Reflect.getOwnPropertyDescriptor,
    getPrototypeOf: Reflect.getPrototypeOf,
    objectPrototype: Object.prototype,
    ownKeys: Reflect.ownKeys,
    hasOwn: Object.hasOwn,
    freeze: Object.freeze,
    isArray: Array.isArray,
    isView: ArrayBuffer.isView,
    stringify: JSON.stringify,
    toText: String,
    toNumber: Number,
    now: Date.now,
    tagOf: uncurryThis(Object.prototype.toString),
    charCodeAt: uncurryThis(String.prototype.charCodeAt),
    indexOf: uncurryThis(String.prototype.indexOf),
    slice: uncurryThis(String.prototype.slice),
    repeat: uncurryThis(String.prototype.repeat),
    isoDate: uncurryThis(Date.prototype.toISOString),
    timeOf: uncurryThis(Date.prototype.getTime),
    functionText: uncurryThis(Function.prototype.toString),
    regExpText: uncurryThis(RegExp.prototype.toString),
    regExpExec: uncurryThis(RegExp.prototype.exec),
    mapForEach: uncurryThis(Map.prototype.forEach),
    setForEach: uncurryThis(Set.prototype.forEach),
    createTable: () => Object.create(null) as never,
    createMap: () => new Map(),
    mapGet: uncurryThis(Map.prototype.get),
    mapSet: uncurryThis(Map.prototype.set),
    mapDelete: uncurryThis(Map.prototype.delete),
    Promise,
    then: uncurryThis(Promise.prototype.then),
    Error,
    TypeError,
    RangeError,
  };
}
