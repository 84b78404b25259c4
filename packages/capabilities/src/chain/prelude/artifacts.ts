import type { PreludeBuiltins } from './builtins.ts';

/** Connection of the prelude to the host. */
export interface PreludeHost {
  call(op: string, payload: string): Promise<string>;
}

/** Description of a stored result, sent by the host. */
export interface ArtifactInfo {
  readonly ref: string;
  readonly mediaType: string;
  readonly bytes: number;
}

/** Description of a file that a tool returned, sent by the host. */
export interface FileInfo {
  readonly artifactRef: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly path: string;
  readonly name?: string;
}

/** Handles of stored results. */
export interface ScriptArtifacts {
  /** Returns a handle; its JSON is `{ "$artifact": ref }`. */
  open(info: ArtifactInfo): object;
  /** Returns a handle of a file. Its JSON is that of a file in a result, and that of an artifact inside arguments. */
  openFile(info: FileInfo): object;
  /** Opens a file of an earlier call by its path, for scripts. */
  readonly file: (path: unknown) => Promise<object>;
  /** `artifacts` of scripts: stores what a script made. */
  readonly maker: object;
  /** Runs `encode` so that files in it become `{ "$artifact": ref }`. */
  asArguments(encode: () => string): string;
}

/**
 * Creates the handles with which a script reads stored results part by part from the host.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createArtifacts(builtins: PreludeBuiltins, host: PreludeHost): ScriptArtifacts {
  const { parse, stringify, indexOf, slice, charCodeAt, setBytes, toNumber, min, defineProperty, Bytes, TypeError } =
    builtins;
  const { isView, tagOf, freeze } = builtins;
  const chunkBytes = 1_048_576;
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const alphabet = new Bytes(128);
  for (let index = 0; index < 64; index++) alphabet[charCodeAt(digits, index)] = index;
  let isEncodingArguments = false;

  class Artifact {
    readonly #info: ArtifactInfo;

    constructor(info: ArtifactInfo) {
      this.#info = info;
      defineProperty(this, '$artifact', { value: info.ref, enumerable: true });
    }

    get ref(): string {
      return this.#info.ref;
    }

    get mediaType(): string {
      return this.#info.mediaType;
    }

    get size(): number {
      return this.#info.bytes;
    }

    /** Returns the whole content as text. */
    async text(): Promise<string> {
      return this.slice(0, this.#info.bytes);
    }

    /** Returns the whole content, parsed. */
    async json(): Promise<unknown> {
      return parse(await this.text());
    }

    /** Returns the text of `length` bytes from `offset` on; a character on the edge belongs to the part in which it starts. */
    async slice(offset: number, length: number): Promise<string> {
      const range = rangeOf(this.#info, offset, length);
      let text = '';
      for (let at = range.start; at < range.end; at += chunkBytes) {
        text += await readText(this.#info.ref, at, min(chunkBytes, range.end - at));
      }
      return text;
    }

    /** Iterates over the lines without their terminators, reading as the loop advances. */
    async *lines(): AsyncGenerator<string, void> {
      let rest = '';
      for (let at = 0; at < this.#info.bytes; at += chunkBytes) {
        rest += await readText(this.#info.ref, at, chunkBytes);
        let start = 0;
        for (let end = indexOf(rest, '\n', 0); end !== -1; end = indexOf(rest, '\n', start)) {
          yield slice(rest, start, end > start && charCodeAt(rest, end - 1) === 13 ? end - 1 : end);
          start = end + 1;
        }
        rest = slice(rest, start);
      }
      if (rest !== '') yield rest;
    }

    /** Returns the bytes, or `length` of them from `offset` on. */
    async bytes(offset: number = 0, length: number = this.#info.bytes): Promise<Uint8Array> {
      const range = rangeOf(this.#info, offset, length);
      const bytes = new Bytes(range.end - range.start);
      for (let at = range.start; at < range.end; at += chunkBytes) {
        const payload = this.#info.ref + '\n' + at + '\n' + min(chunkBytes, range.end - at);
        setBytes(bytes, decode(await host.call('read-bytes', payload)), at - range.start);
      }
      return bytes;
    }
  }

  class File extends Artifact {
    readonly #file: FileInfo;

    constructor(info: FileInfo) {
      super({ ref: info.artifactRef, mediaType: info.mediaType, bytes: info.bytes });
      this.#file = info;
    }

    get path(): string {
      return this.#file.path;
    }

    get name(): string | undefined {
      return this.#file.name;
    }

    toJSON(): object {
      return isEncodingArguments ? { $artifact: this.#file.artifactRef } : { ...this.#file };
    }
  }

  return {
    open: (info) => new Artifact(info),
    openFile: (info) => new File(info),
    maker: freeze({
      /** Stores text, bytes or a value as JSON under a name, and returns its handle. */
      async put(data: unknown, options: unknown): Promise<object> {
        const { name, mediaType } = (options ?? {}) as { readonly name?: unknown; readonly mediaType?: unknown };
        if (typeof name !== 'string')
          throw new TypeError('artifacts.put takes a name, for example artifacts.put(text, { name: "report.csv" })');
        if (mediaType !== undefined && typeof mediaType !== 'string')
          throw new TypeError('artifacts.put takes a media type as text, for example "text/csv"');
        const { content, isBase64, type } = contentOf(data);
        const header = stringify({ name, mediaType: mediaType ?? type, isBase64 }) as string;
        return new File(parse(await host.call('put', header + '\n' + content)) as FileInfo);
      },
    }),
    async file(path) {
      if (typeof path !== 'string') throw new TypeError('file takes the path of a file');
      return new File(parse(await host.call('file', path)) as FileInfo);
    },
    asArguments(encode) {
      isEncodingArguments = true;
      try {
        return encode();
      } finally {
        isEncodingArguments = false;
      }
    },
  };

  function contentOf(data: unknown): { content: string; isBase64: boolean; type?: string } {
    if (typeof data === 'string') return { content: data, isBase64: false };
    if (isView(data)) {
      return { content: encodeBytes(new Bytes(data.buffer, data.byteOffset, data.byteLength)), isBase64: true };
    }
    const tag = slice(tagOf(data), 8, -1);
    if (tag === 'ArrayBuffer') return { content: encodeBytes(new Bytes(data as ArrayBuffer)), isBase64: true };
    if (tag === 'Promise') throw new TypeError('artifacts.put takes text, bytes or a value: await the promise first');
    if (typeof data === 'object' && data !== null && (data as { readonly $artifact?: unknown }).$artifact !== undefined)
      throw new TypeError('artifacts.put takes text, bytes or a value: an artifact is stored already');
    const content = stringify(data);
    if (content === undefined)
      throw new TypeError('artifacts.put takes text, bytes or a value that JSON can represent');
    return { content, isBase64: false, type: 'application/json' };
  }

  function encodeBytes(bytes: Uint8Array): string {
    let text = '';
    let part = '';
    for (let at = 0; at < bytes.length; at += 3) {
      const second = bytes[at + 1];
      const third = bytes[at + 2];
      const group = ((bytes[at] as number) << 16) | ((second ?? 0) << 8) | (third ?? 0);
      part += digits[group >> 18] as string;
      part += digits[(group >> 12) & 63] as string;
      part += second === undefined ? '=' : (digits[(group >> 6) & 63] as string);
      part += third === undefined ? '=' : (digits[group & 63] as string);
      if (part.length < 65_536) continue;
      text += part;
      part = '';
    }
    return text + part;
  }

  function rangeOf(
    info: ArtifactInfo,
    offset: number,
    length: number,
  ): { readonly start: number; readonly end: number } {
    const [start, count] = [toNumber(offset), toNumber(length)];
    if (!(start >= 0 && count >= 0)) throw new TypeError('The offset and length of an artifact read must be 0 or more');
    const first = min(start - (start % 1), info.bytes);
    return { start: first, end: min(first + count - (count % 1), info.bytes) };
  }

  // The whole characters that start in the range, so that adjacent parts join to the exact text.
  function readText(ref: string, offset: number, length: number): Promise<string> {
    return host.call('read-text', ref + '\n' + offset + '\n' + length);
  }

  function decode(base64: string): Uint8Array {
    let length = base64.length;
    while (length > 0 && charCodeAt(base64, length - 1) === 61) length--;
    const bytes = new Bytes((length * 3 - ((length * 3) % 4)) / 4);
    let buffered = 0;
    let bits = 0;
    let at = 0;
    for (let index = 0; index < length; index++) {
      buffered = ((buffered << 6) | (alphabet[charCodeAt(base64, index)] ?? 0)) & 0xffff;
      bits += 6;
      if (bits < 8) continue;
      bits -= 8;
      bytes[at++] = (buffered >> bits) & 0xff;
    }
    return bytes;
  }
}
