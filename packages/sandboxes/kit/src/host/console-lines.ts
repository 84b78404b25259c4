import type { BoundedRequest } from './bounded-request.ts';

/** Console output of one run, as its guest sends it. */
export interface ConsoleLines {
  /** Passes a line on to the listener of the request. Returns why the guest may not send it; `undefined` if it may. */
  take(level: string, text: string): string | undefined;
}

const levels: ReadonlySet<string> = new Set(['log', 'info', 'warn', 'error', 'debug']);

/** Creates the console output of a request. The guest cuts it at its limit, so a guest that sends more is not to be trusted. */
export function createConsoleLines({ limits, onConsole }: BoundedRequest): ConsoleLines {
  let bytes = 0;
  return {
    take(level, text) {
      if (!levels.has(level)) return 'sent console output of an unknown level';
      bytes += Buffer.byteLength(text) + 1;
      if (bytes > limits.maxConsoleBytes) return 'sent more console output than it may';
      try {
        onConsole({ level: level as 'log', text });
      } catch {
        // An error of a console listener does not affect the run.
      }
      return undefined;
    },
  };
}
