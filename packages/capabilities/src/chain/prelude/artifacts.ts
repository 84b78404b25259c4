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
}

/** Handles of stored results. */
export interface ScriptArtifacts {
  /** Returns a handle; its JSON is `{ "$artifact": ref }`. */
  open(info: ArtifactInfo): object;
  /** Returns a handle of a file. Its JSON is that of a file in a result, and that of an artifact inside arguments. */
  openFile(info: FileInfo): object;
  /** Opens a file of an earlier call by its path, for scripts. */
  readonly file: (path: unknown) => Promise<object>;
  /** Runs `encode` so that files in it become `{ "$artifact": ref }`. */
  asArguments(encode: () => string): string;
}

/**
 * Creates the handles with which a script reads stored results part by part from the host.
 * Runs in the guest: it must refer to nothing outside itself.
 */
export function createArtifacts(builtins: PreludeBuiltins, host: PreludeHost): ScriptArtifacts {
  const { parse, indexOf, slice, charCodeAt, setBytes, toNumber, min, defineProperty, Bytes, TypeError } = builtins;
  const chunkBytes = 1_048_576;
  const alphabet = new Bytes(128);
  for (let index = 0; index < 64; index++) {
    alphabet[charCodeAt('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', index)] = index;
  }
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

    toJSON(): object {
      const { path, mediaType, artifactRef, bytes } = this.#file;
      return isEncodingArguments ? { $artifact: artifactRef } : { path, mediaType, artifactRef, bytes };
    }
  }

  return {
    open: (info) => new Artifact(info),
    openFile: (info) => new File(info),
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
