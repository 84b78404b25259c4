import { systemClock } from '@ravi/kernel';
import type { Clock, LogFields, Logger } from '@ravi/kernel';
import { messageOf } from './message-of.ts';

/** Options of {@link createJsonLogger}. */
export interface JsonLoggerOptions {
  /** Receives one line per record, line break included. */
  readonly write: (line: string) => void;
  /** The least important level that is written; `info` when absent. */
  readonly level?: keyof Logger;
  readonly clock?: Clock;
}

const importance: Readonly<Record<keyof Logger, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/**
 * A logger that writes one JSON object per line: `time` (ISO 8601), `level`, `message`, then the fields. A field cannot
 * replace the first three, and one that JSON cannot hold costs the record its fields, never the caller an exception.
 */
export function createJsonLogger({ write, level = 'info', clock = systemClock }: JsonLoggerOptions): Logger {
  const at =
    (recordLevel: keyof Logger) =>
    (message: string, fields: LogFields = {}): void => {
      if (importance[recordLevel] < importance[level]) return;
      const head = { time: new Date(clock.now()).toISOString(), level: recordLevel, message };
      write(`${lineOf(head, fields)}\n`);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function lineOf(head: LogFields, fields: LogFields): string {
  try {
    return JSON.stringify({ ...head, ...fields, ...head }, plain);
  } catch (error) {
    // A cycle or a throwing getter: a logger must not throw, so the record goes without its fields.
    return JSON.stringify({ ...head, fields: `not written: ${messageOf(error)}` });
  }
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (!(value instanceof Error)) return value;
  return {
    name: value.name,
    message: value.message,
    ...('code' in value ? { code: value.code } : {}),
    cause: value.cause,
  };
}
