/**
 * Creates the globals of the web platform that scripts expect and a bare V8 context lacks: `TextEncoder` and `TextDecoder`
 * (UTF-8), `atob`, `btoa`, `queueMicrotask` and `structuredClone` (plain data, collections, dates, errors and bytes).
 * Only the script uses them, never the runtime.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createWebGlobals(): Readonly<Record<string, unknown>> {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const settled = Promise.resolve();
  // Captured now, because a prelude may remove some of them.
  const uncopied = [Promise, WeakMap, WeakSet, WeakRef];

  class TextEncoder {
    get encoding(): string {
      return 'utf-8';
    }
    encode(input: unknown = ''): Uint8Array {
      const bytes: number[] = [];
      for (const character of String(input).toWellFormed()) {
        const point = character.codePointAt(0) as number;
        if (point < 0x80) bytes.push(point);
        else if (point < 0x800) bytes.push(0xc0 | (point >> 6), continuation(point));
        else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), continuation(point >> 6), continuation(point));
        else {
          bytes.push(0xf0 | (point >> 18), continuation(point >> 12), continuation(point >> 6), continuation(point));
        }
      }
      return Uint8Array.from(bytes);
    }
  }

  class TextDecoder {
    constructor(label: unknown = 'utf-8') {
      if (!/^\s*(utf-?8|unicode-1-1-utf-8)\s*$/i.test(String(label))) {
        throw new RangeError(`TextDecoder knows utf-8 only, not ${String(label)}`);
      }
    }
    get encoding(): string {
      return 'utf-8';
    }
    decode(input: ArrayBuffer | ArrayBufferView = new Uint8Array(0)): string {
      const bytes = ArrayBuffer.isView(input)
        ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
        : new Uint8Array(input);
      let text = '';
      for (let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0; at < bytes.length;) {
        const { point, length } = readPoint(bytes, at);
        text += String.fromCodePoint(point);
        at += length;
      }
      return text;
    }
  }

  return {
    TextEncoder,
    TextDecoder,
    atob,
    btoa,
    structuredClone: (value: unknown) => clone(value, new Map()),
    queueMicrotask(callback: () => void): void {
      if (typeof callback !== 'function') throw new TypeError('queueMicrotask needs a function');
      void settled.then(callback);
    },
  };

  function continuation(bits: number): number {
    return 0x80 | (bits & 0x3f);
  }

  // Decodes one code point like the WHATWG decoder: a broken sequence becomes U+FFFD for its longest valid start.
  function readPoint(bytes: Uint8Array, at: number): { readonly point: number; readonly length: number } {
    const first = bytes[at] as number;
    if (first < 0x80) return { point: first, length: 1 };
    const size =
      first >= 0xf0 && first <= 0xf4 ? 4 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xc2 && first < 0xe0 ? 2 : 0;
    let point = size === 2 ? first & 0x1f : size === 3 ? first & 0x0f : first & 0x07;
    for (let length = 1; length < size; length++) {
      const next = bytes[at + length] ?? 0;
      const low = length > 1 ? 0x80 : first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
      const high = length > 1 ? 0xbf : first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
      if (next < low || next > high) return { point: 0xfffd, length };
      point = (point << 6) | (next & 0x3f);
    }
    return size === 0 ? { point: 0xfffd, length: 1 } : { point, length: size };
  }

  function btoa(input: unknown): string {
    const text = String(input);
    let encoded = '';
    for (let at = 0; at < text.length; at += 3) {
      const units = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
      if (units.some((unit) => unit > 0xff)) throw new RangeError('btoa takes characters up to U+00FF only');
      const [first = 0, second = 0, third = 0] = units.map((unit) => unit || 0);
      const bits = (first << 16) | (second << 8) | third;
      const digits = [bits >> 18, (bits >> 12) & 63, (bits >> 6) & 63, bits & 63];
      const used = Math.min(text.length - at, 3) + 1;
      encoded += digits.map((digit, index) => (index < used ? alphabet[digit] : '=')).join('');
    }
    return encoded;
  }

  function atob(input: unknown): string {
    const text = String(input).replace(/[\t\n\f\r ]/g, '');
    const digits = text.length % 4 === 0 ? text.replace(/={1,2}$/, '') : text;
    if (digits.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(digits)) throw new RangeError('atob takes base64 only');
    let decoded = '';
    let bits = 0;
    for (let index = 0; index < digits.length; index++) {
      bits = ((bits << 6) | alphabet.indexOf(digits.charAt(index))) & 0xffffff;
      if (index % 4 > 0) decoded += String.fromCharCode((bits >> (6 - 2 * (index % 4))) & 0xff);
    }
    return decoded;
  }

  function clone(value: unknown, seen: Map<unknown, unknown>): unknown {
    if (typeof value === 'function' || typeof value === 'symbol') {
      throw new TypeError(`structuredClone cannot copy a ${typeof value}`);
    }
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const copy = emptyCopy(value);
    seen.set(value, copy);
    if (value instanceof Map)
      for (const [key, item] of value) (copy as Map<unknown, unknown>).set(clone(key, seen), clone(item, seen));
    else if (value instanceof Set) for (const item of value) (copy as Set<unknown>).add(clone(item, seen));
    else if (Array.isArray(value) || isRecord(copy)) {
      for (const key of Object.keys(value)) {
        const item = clone((value as Record<string, unknown>)[key], seen);
        Object.defineProperty(copy, key, { value: item, enumerable: true, configurable: true, writable: true });
      }
    }
    return copy;
  }

  function emptyCopy(value: object): object {
    if (Array.isArray(value)) return new Array(value.length);
    if (value instanceof Map) return new Map();
    if (value instanceof Set) return new Set();
    if (value instanceof Date) return new Date(value.getTime());
    if (value instanceof RegExp) return new RegExp(value.source, value.flags);
    if (value instanceof ArrayBuffer) return value.slice(0);
    if (ArrayBuffer.isView(value)) return copyView(value);
    if (value instanceof Error)
      return Object.assign(new Error(value.message), { name: value.name, stack: value.stack });
    for (const kind of uncopied) {
      if (value instanceof kind) throw new TypeError(`structuredClone cannot copy a ${kind.name}`);
    }
    return {};
  }

  function copyView(view: ArrayBufferView): object {
    const bytes = view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);
    const maker = view.constructor as new (buffer: ArrayBufferLike) => object;
    return new maker(bytes);
  }

  function isRecord(copy: object): boolean {
    return Object.getPrototypeOf(copy) === Object.prototype;
  }
}
