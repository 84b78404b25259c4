/** Sends frames to the host, one after the other. */
export type SendFrame = (text: string) => void;

/**
 * Creates the function that sends frames to a descriptor, without an event loop.
 * Runs in the child: it must refer to nothing outside itself.
 */
export function createFrameWriter(descriptor: number): SendFrame {
  const { writeSync } = process.getBuiltinModule('node:fs');
  const shortFrame = Buffer.allocUnsafe(65_536);

  return (text) => {
    // A UTF-16 unit takes at most three bytes.
    const frame =
      text.length * 3 + 4 <= shortFrame.length ? shortFrame : Buffer.allocUnsafe(4 + Buffer.byteLength(text));
    const length = frame.write(text, 4);
    frame.writeUInt32LE(length, 0);
    const end = 4 + length;
    for (let sent = 0; sent < end;) sent += writeSync(descriptor, frame, sent, end - sent, null);
  };
}
