import type { LogFields, Logger } from '@ravi/kernel';
import { destination, pino, stdTimeFunctions } from 'pino';
import type { DestinationStream } from 'pino';
import type { Redactor } from './redactor.ts';

/** What a log depends on. */
export interface LogSettings {
  /** The least important level that is written. */
  readonly level: keyof Logger;
  readonly redactor: Redactor;
}

const standardError = 2;
const head: ReadonlySet<string> = new Set(['level', 'time', 'message']);

/**
 * A log of one JSON object per line: `level`, `time` (ISO 8601), the fields without secrets, and `message`. A line is
 * written before the call returns, so that the last ones of a process are not lost. Standard error when no stream is
 * given.
 */
export function createServerLog(
  { level, redactor }: LogSettings,
  stream: DestinationStream = destination({ fd: standardError, sync: true }),
): Logger {
  const log = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );

  const at =
    (recordLevel: keyof Logger) =>
    (message: string, fields: LogFields = {}): void => {
      if (log.isLevelEnabled(recordLevel)) log[recordLevel](safely(fields), redactor.text(message));
    };

  function safely(fields: LogFields): object {
    try {
      const own = Object.entries(fields).filter(([name]) => !head.has(name));
      return redactor.fields(Object.fromEntries(own)) as object;
    } catch {
      // A getter that throws: a logger must not, so the record goes without its fields.
      return { fields: 'not written' };
    }
  }

  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
