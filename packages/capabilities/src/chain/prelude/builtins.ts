/** Built-ins that the prelude uses, captured before any user code runs; methods take `this` as their first parameter. */
export interface PreludeBuiltins {
  readonly parse: (text: string) => unknown;
  readonly stringify: (value: unknown) => string | undefined;
  readonly isArray: (value: unknown) => value is unknown[];
  readonly isView: (value: unknown) => value is ArrayBufferView;
  readonly ownKeys: (value: object) => readonly PropertyKey[];
  readonly getDescriptor: (value: object, key: PropertyKey) => PropertyDescriptor | undefined;
  readonly getPrototypeOf: (value: object) => object | null;
  readonly defineProperty: (value: object, key: PropertyKey, descriptor: PropertyDescriptor) => boolean;
  readonly freeze: <Value extends object>(value: Value) => Readonly<Value>;
  readonly create: (prototype: object | null) => Record<PropertyKey, unknown>;
  readonly tagOf: (value: unknown) => string;
  readonly toText: (value: unknown) => string;
  readonly toNumber: (value: unknown) => number;
  readonly min: (left: number, right: number) => number;
  readonly indexOf: (text: string, search: string, from: number) => number;
  readonly slice: (text: string, start: number, end?: number) => string;
  readonly charCodeAt: (text: string, index: number) => number;
  readonly setBytes: (target: Uint8Array, source: Uint8Array, offset: number) => void;
  readonly apply: typeof Reflect.apply;
  readonly construct: typeof Reflect.construct;
  readonly then: (promise: unknown, onValue: (value: unknown) => void, onError: (error: unknown) => void) => unknown;
  readonly Bytes: Uint8ArrayConstructor;
  readonly Promise: PromiseConstructor;
  readonly Proxy: ProxyConstructor;
  readonly Error: ErrorConstructor;
  readonly TypeError: TypeErrorConstructor;
  readonly objectPrototype: object;
}

/**
 * Captures the built-ins.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function capturePreludeBuiltins(): PreludeBuiltins {
  const { bind, call } = Function.prototype;
  const uncurryThis = bind.bind(call) as unknown as (method: unknown) => never;
  return {
    parse: JSON.parse,
    stringify: JSON.stringify,
    isArray: Array.isArray,
    isView: ArrayBuffer.isView,
    ownKeys: Reflect.ownKeys,
    getDescriptor: Reflect.getOwnPropertyDescriptor,
    getPrototypeOf: Reflect.getPrototypeOf,
    defineProperty: Reflect.defineProperty,
    freeze: Object.freeze,
    create: Object.create,
    tagOf: uncurryThis(Object.prototype.toString),
    toText: String,
    toNumber: Number,
    min: Math.min,
    indexOf: uncurryThis(String.prototype.indexOf),
    slice: uncurryThis(String.prototype.slice),
    charCodeAt: uncurryThis(String.prototype.charCodeAt),
    setBytes: uncurryThis(Uint8Array.prototype.set),
    apply: Reflect.apply,
    construct: Reflect.construct,
    then: uncurryThis(Promise.prototype.then),
    Bytes: Uint8Array,
    Promise,
    Proxy,
    Error,
    TypeError,
    objectPrototype: Object.prototype,
  };
}
