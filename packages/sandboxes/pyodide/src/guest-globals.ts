/**
 * Creates the globals by which Pyodide recognises a shell, which has no network, no file system and no event loop. Its few
 * timers are for loading, and fire at once.
 * Runs in the isolate: it must refer to nothing outside itself.
 */
export function createSurroundings(): Readonly<Record<string, unknown>> {
  const nothing = (): void => {};
  return {
    window: {},
    load: nothing,
    read: nothing,
    setTimeout: (callback: () => void) => void Promise.resolve().then(callback),
    clearTimeout: nothing,
    console: { log: nothing, warn: nothing, error: nothing, info: nothing, debug: nothing },
  };
}

/**
 * Creates the `TextEncoder` and `TextDecoder` that Pyodide needs: well-formed UTF-8, and UTF-16.
 * Runs in the isolate: it must refer to nothing outside itself.
 */
export function createTextCodecs(): Readonly<Record<string, unknown>> {
  class TextEncoder {
    encode(text = ''): Uint8Array {
      const bytes = new Uint8Array(text.length * 3);
      return bytes.slice(0, this.encodeInto(text, bytes).written);
    }

    encodeInto(text: string, bytes: Uint8Array): { read: number; written: number } {
      let written = 0;
      for (const character of text) {
        const point = character.codePointAt(0) as number;
        const more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
        bytes[written++] = more === 0 ? point : ((0xf00 >> more) & 0xff) | (point >> (6 * more));
        for (let left = more - 1; left >= 0; left--) bytes[written++] = 0x80 | ((point >> (6 * left)) & 0x3f);
      }
      return { read: text.length, written };
    }
  }

  class TextDecoder {
    readonly isWide: boolean;

    constructor(label = 'utf-8') {
      this.isWide = label === 'utf-16le';
    }

    decode(view: Uint8Array = new Uint8Array(0)): string {
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      const units: number[] = [];
      let text = '';
      for (let at = 0; at < bytes.length;) {
        if (units.length > 4_096) text += String.fromCharCode(...units.splice(0));
        const first = bytes[at++] as number;
        if (this.isWide) {
          units.push(first | ((bytes[at++] ?? 0) << 8));
          continue;
        }
        const more = first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
        let point = more === 0 ? first : first & (0x3f >> more);
        for (let left = more; left > 0; left--) point = (point << 6) | ((bytes[at++] ?? 0) & 0x3f);
        if (point > 0xffff) units.push(0xd7c0 + (point >> 10), 0xdc00 | (point & 0x3ff));
        else units.push(point);
      }
      return text + String.fromCharCode(...units);
    }
  }

  return { TextEncoder, TextDecoder };
}
