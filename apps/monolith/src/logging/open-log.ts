import { KernelError, silentLogger } from '@ravi/kernel';
import type { Logger } from '@ravi/kernel';
import type { LogSettings } from './server-log.ts';

/** A log, or what makes one of what the configuration says. */
export type LogSource = Logger | ((settings: LogSettings) => Logger);

const levels: readonly string[] = ['debug', 'info', 'warn', 'error'] satisfies readonly (keyof Logger)[];

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
