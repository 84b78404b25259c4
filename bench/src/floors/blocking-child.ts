import { readSync, writeSync } from 'node:fs';

// No event loop: it echoes stdin to stdout with one blocking read and one write per frame.
const buffer = Buffer.allocUnsafe(65_536);
for (;;) {
  const length = readSync(0, buffer);
  if (length === 0) break;
  writeSync(1, buffer, 0, length);
}
