import type { ConsoleLine } from '@ravi/kernel';

/** Console output of one script, within its limit. */
export interface ConsoleLog {
  add(line: ConsoleLine): void;
  /** Returns the lines, with a notice if the guest or this log dropped any bytes. */
  lines(droppedByGuest: number): readonly ConsoleLine[];
}

/** Keeps at most `maxBytes` of UTF-8, even if the sandbox sends more; calls `onLine` for each line that is kept. */
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
