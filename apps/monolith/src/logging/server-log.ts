import type { LogFields, Logger } from '@ravi/kernel';
import { destination, pino, stdTimeFunctions } from 'pino';
import type { DestinationStream } from 'pino';
import { KernelError, silentLogger } from '@ravi/kernel';
import type { Redactor } from './redactor.ts';

/** What a log depends on. */
export interface LogSettings {
  /** The least important level that is written. */
  readonly level: keyof Logger;
  readonly redactor: Redactor;
}

/** A log, or a function that creates one from the settings of the configuration. */
export type LogSource = Logger | ((settings: LogSettings) => Logger);

const levels: readonly string[] = ['debug', 'info', 'warn', 'error'] satisfies readonly (keyof Logger)[];
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

/** The log of a process, of the level that `RAVI_LOG_LEVEL` names before that of `settings`; silent without a source. */
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
