import type { ConsoleLine } from '@ravi/kernel';

/** The console output of one script, within its limit. */
export interface ConsoleLog {
  add(line: ConsoleLine): void;
  /** The lines, with a notice when `droppedByGuest` bytes or more are missing. */
  lines(droppedByGuest: number): readonly ConsoleLine[];
}

/** Keeps lines up to `maxBytes` of UTF-8, whatever the sandbox lets through; `onLine` is told of each that is kept. */
export function createConsoleLog(maxBytes: number, onLine: (line: ConsoleLine) => void = () => {}): ConsoleLog {
  const kept: ConsoleLine[] = [];
  let left = maxBytes;
  let dropped = 0;
  return {
    add({ level, text }) {
      const bytes = Buffer.byteLength(text) + 1;
      const fits = bytes <= left;
      left -= Math.min(left, bytes);
      if (!fits) {
        dropped += bytes;
        return;
      }
      kept.push({ level, text });
      onLine({ level, text });
    },
    lines(droppedByGuest) {
      const missing = dropped + droppedByGuest;
      if (missing === 0) return kept;
      const text = `[${missing} bytes of console output were dropped; the limit maxConsoleBytes is ${maxBytes}]`;
      return [...kept, { level: 'warn', text }];
    },
  };
}
