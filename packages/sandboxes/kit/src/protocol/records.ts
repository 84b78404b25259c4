/** The string operations that the codec uses; a guest passes the ones it captured before user code ran. */
export interface TextOperations {
  indexOf(text: string, search: string, from: number): number;
  slice(text: string, start: number, end: number): string;
}

/** Reads one record after the other. */
export interface RecordReader {
  /** The kind of the next record, empty at the end. Its fields must be read before the next kind. */
  kind(): string;
  /** The next field, or `undefined` when the text there is none. */
  field(): string | undefined;
}

/** Writes and reads records. */
export interface RecordCodec {
  encode(kind: string, ...fields: readonly string[]): string;
  /** What `encode` gives for three fields, without the cost of a loop. */
  encodeThree(kind: string, first: string, second: string, third: string): string;
  /** Reads the records that begin at `start`. */
  read(text: string, start: number): RecordReader;
}

/**
 * The records inside a frame: a kind (one character), then as many fields as the kind has, each as `<length>:<text>`
 * with its length in UTF-16 units. Text of any content passes without escaping, so a field is written once, forwarded
 * unread and parsed once.
 *
 * The same source runs on the host, in the child and in the guest: it must refer to nothing outside itself.
 */
export function createRecordCodec({ indexOf, slice }: TextOperations): RecordCodec {
  return {
    encode(kind, ...fields) {
      let text = kind;
      for (let index = 0; index < fields.length; index++) {
        const field = fields[index] as string;
        text += field.length + ':' + field;
      }
      return text;
    },
    encodeThree: (kind, first, second, third) =>
      kind + first.length + ':' + first + second.length + ':' + second + third.length + ':' + third,
    read(text, start) {
      let at = start;
      return {
        kind: () => slice(text, at, ++at),
        field() {
          const colon = indexOf(text, ':', at);
          const length = +slice(text, at, colon);
          const end = colon + 1 + length;
          if (colon <= at || length < 0 || (length | 0) !== length || end > text.length) return undefined;
          at = end;
          return slice(text, colon + 1, end);
        },
      };
    },
  };
}
