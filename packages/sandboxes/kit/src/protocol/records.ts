/** String operations that the codec uses; a guest passes those that it captured before user code ran. */
export interface TextOperations {
  indexOf(text: string, search: string, from: number): number;
  slice(text: string, start: number, end: number): string;
}

/** Reader of consecutive records. */
export interface RecordReader {
  /** Returns the kind of the next record, empty at the end. Its fields must be read before the next kind. */
  kind(): string;
  /** Returns the next field; `undefined` if the text is malformed there. */
  field(): string | undefined;
}

/** Codec of records. */
export interface RecordCodec {
  encode(kind: string, ...fields: readonly string[]): string;
  /** Like `encode` for three fields, without the cost of a loop. */
  encodeThree(kind: string, first: string, second: string, third: string): string;
  /** Returns a reader of the records that begin at `start`. */
  read(text: string, start: number): RecordReader;
}

/**
 * Creates the codec of the records inside a frame: a kind (one character), then as many fields as the kind has, each as
 * `<length>:<text>` with its length in UTF-16 units. Any text passes without escaping, so a field is written once,
 * forwarded unread and parsed once.
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

/** Returns the next `count` fields of a reader; `undefined` if the text is malformed there. */
export function readRecordFields(reader: RecordReader, count: number): readonly string[] | undefined {
  const fields: string[] = [];
  while (fields.length < count) {
    const field = reader.field();
    if (field === undefined) return undefined;
    fields.push(field);
  }
  return fields;
}
