import type { LogFields, Logger } from '@ravi/kernel';
import { destination, pino, stdTimeFunctions } from 'pino';
import type { DestinationStream } from 'pino';
import { KernelError, silentLogger } from '@ravi/kernel';
import type { Redactor } from './redactor.ts';

/** Settings of a log. */
export interface LogSettings {
  /** Least important level that is written. */
  readonly level: keyof Logger;
  readonly redactor: Redactor;
}

/** A log, or a function that creates one from the settings of the configuration. */
export type LogSource = Logger | ((settings: LogSettings) => Logger);

const levels: readonly string[] = ['debug', 'info', 'warn', 'error'] satisfies readonly (keyof Logger)[];
const standardError = 2;
const head: ReadonlySet<string> = new Set(['level', 'time', 'message']);

/**
 * Creates a log of one JSON object per line: `level`, `time` (ISO 8601), the redacted fields and `message`. A line is
 * written before the call returns, so that the last lines of a process are not lost. Writes to standard error by default.
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
      // A getter threw. A logger must not throw, so the record is written without its fields.
      return { fields: 'not written' };
    }
  }

  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Opens the log of a process at the level of `RAVI_LOG_LEVEL`, else of `settings`. Silent without a source. */
export function openLog(
  source: LogSource = silentLogger,
  { env, ...settings }: LogSettings & { readonly env: Readonly<Record<string, string | undefined>> },
): Logger {
  if (typeof source !== 'function') return source;
  const level = env['RAVI_LOG_LEVEL'] || settings.level;
  if (isLevel(level)) return source({ ...settings, level });
  throw new KernelError('E_CONFIG_INVALID', `RAVI_LOG_LEVEL must be one of ${levels.join(', ')}, not "${level}"`);
}

function isLevel(name: string): name is keyof Logger {
  return levels.includes(name);
}
