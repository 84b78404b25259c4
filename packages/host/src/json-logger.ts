import { systemClock } from '@ravi/kernel';
import type { Clock, LogFields, Logger } from '@ravi/kernel';
import { messageOf } from './describe-error.ts';

/** Options of {@link createJsonLogger}. */
export interface JsonLoggerOptions {
  /** Receives one line per record, line break included. */
  readonly write: (line: string) => void;
  /** Least important level that is written. Default: `info`. */
  readonly level?: keyof Logger;
  readonly clock?: Clock;
}

const importance: Readonly<Record<keyof Logger, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/**
 * Creates a logger that writes one JSON object per line: `time` (ISO 8601), `level`, `message`, then the fields. Fields cannot
 * replace the first three. If a field is not valid JSON, the record is written without its fields; the logger never throws.
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
    // A cycle or a getter that throws. A logger must not throw, so the record is written without its fields.
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
