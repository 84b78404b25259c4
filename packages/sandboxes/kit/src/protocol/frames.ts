/** Largest frame that a host accepts from a guest, in bytes. A guest sends much smaller frames. */
export const maxFrameBytes: number = 64 * 1024 * 1024;

/** Encodes a frame: four bytes with the length of the body, little-endian, then the body as UTF-8. */
export function encodeFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(4 + length);
  frame.writeUInt32LE(length, 0);
  frame.write(text, 4);
  return frame;
}

/** Receiver of the bytes of a stream, in chunks of any size. */
export interface FrameSplitter {
  push(chunk: Buffer): void;
}

/**
 * Creates a splitter of a stream into frames. A frame that announces more than `maxBytes` is reported before any of it is
 * kept, and everything after it is ignored.
 */
export function createFrameSplitter(options: {
  readonly maxBytes: number;
  onFrame(text: string): void;
  onViolation(message: string): void;
}): FrameSplitter {
  const { maxBytes, onFrame, onViolation } = options;
  let pieces: Buffer[] = [];
  let buffered = 0;
  let violated = false;

  return {
    push(chunk) {
      if (violated) return;
      pieces.push(chunk);
      buffered += chunk.length;
      while (buffered >= 4) {
        const head = takeHead();
        const length = head.readUInt32LE(0);
        if (length > maxBytes) {
          violated = true;
          pieces = [];
          onViolation(`sent a frame of ${length} bytes; the limit is ${maxBytes}`);
          return;
        }
        if (buffered < 4 + length) return;
        const bytes = pieces.length === 1 ? head : Buffer.concat(pieces, buffered);
        const rest = bytes.subarray(4 + length);
        pieces = rest.length === 0 ? [] : [rest];
        buffered = rest.length;
        onFrame(bytes.toString('utf8', 4, 4 + length));
      }
    },
  };

  function takeHead(): Buffer {
    const [first] = pieces;
    if (first !== undefined && first.length >= 4) return first;
    const joined = Buffer.concat(pieces, buffered);
    pieces = [joined];
    return joined;
  }
}
