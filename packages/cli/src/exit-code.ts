import type { ChainRunResult } from '@ravi/kernel';

/** What the process ends with. */
export const exitCode = {
  ok: 0,
  /** The script, a tool or a check failed. */
  failed: 1,
  /** The command line or the configuration is wrong; nothing ran. */
  usage: 2,
  /** The script ended because a call was denied. */
  denied: 3,
  /** Ended by Ctrl-C or SIGTERM. */
  cancelled: 130,
} as const;

/** One of the values of {@link exitCode}. */
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

const deniedCodes: ReadonlySet<string> = new Set([
  'E_APPROVAL_DENIED',
  'E_APPROVAL_NO_HANDLER',
  'E_APPROVAL_TIMEOUT',
  'E_TOOL_NOT_ALLOWED',
]);

const usageCodes: ReadonlySet<string> = new Set([
  'E_CONFIG_INVALID',
  'E_PLUGIN_INVALID',
  'E_PLUGIN_NOT_FOUND',
  'E_TOOL_NAME_CONFLICT',
  'E_TOOL_UNKNOWN',
]);

/** The exit code of an error that ended a command: whether its user or something else has to change. */
export function exitCodeOfError(code: string): ExitCode {
  return usageCodes.has(code) ? exitCode.usage : exitCode.failed;
}

/** The exit code that tells how a script ended. */
export function exitCodeOf({ status, error }: ChainRunResult): ExitCode {
  if (status === 'ok') return exitCode.ok;
  if (status === 'cancelled') return exitCode.cancelled;
  return deniedCodes.has(error?.code ?? '') ? exitCode.denied : exitCode.failed;
}
