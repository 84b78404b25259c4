/** The string operations that the codec uses; a guest passes the ones it captured before user code ran. */
export interface TextOperations {
  charCodeAt(text: string, index: number): number;
  slice(text: string, start: number, end: number): string;
}

/** One record as read from a frame. */
export interface WireRecord {
  readonly kind: string;
  readonly fieldCount: number;
  /** Always eight entries; those beyond `fieldCount` are empty. */
  readonly fields: readonly string[];
  /** Index of the first character after the record. */
  readonly end: number;
}

/** Writes and reads records. */
export interface RecordCodec {
  encode(kind: string, ...fields: readonly string[]): string;
  /** The record that begins at `start`, or `undefined` when the text there is none. */
  read(text: string, start: number): WireRecord | undefined;
}

/**
 * The records inside a frame: a kind (one character), the number of fields (one digit, at most eight), and each field
 * as `<length>:<text>` with its length in UTF-16 units. Text of any content passes without escaping, so a field is
 * written once, forwarded unread and parsed once.
 *
 * The same source runs on the host, in the child and in the guest: it must refer to nothing outside itself.
 */
export function createRecordCodec({ charCodeAt, slice }: TextOperations): RecordCodec {
  return {
    encode(kind, ...fields) {
      let text = kind + fields.length;
      for (let index = 0; index < fields.length; index++) {
        const field = fields[index] as string;
        text += field.length + ':' + field;
      }
      return text;
    },
    read(text, start) {
      const fieldCount = charCodeAt(text, start + 1) - 48;
      if (!(fieldCount >= 0 && fieldCount <= 8)) return undefined;
      // A literal of own entries: assignments never meet a setter that user code put on Array.prototype.
      const fields = ['', '', '', '', '', '', '', ''];
      let at = start + 2;
      for (let index = 0; index < fieldCount; index++) {
        let length = 0;
        const firstDigit = at;
        for (;;) {
          const unit = charCodeAt(text, at++);
          if (unit === 58 && at > firstDigit + 1) break;
          if (!(unit >= 48 && unit <= 57) || at > firstDigit + 10) return undefined;
          length = length * 10 + (unit - 48);
        }
        if (at + length > text.length) return undefined;
        fields[index] = slice(text, at, at + length);
        at += length;
      }
      return { kind: slice(text, start, start + 1), fieldCount, fields, end: at };
    },
  };
}
