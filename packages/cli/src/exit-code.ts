import type { RunStatus } from '@ravi/kernel';

/** Exit codes of the process. */
export const exitCode = {
  ok: 0,
  /** The run, the script, a tool or a check failed. */
  failed: 1,
  /** The command line or the configuration is wrong, or names something that does not exist. */
  usage: 2,
  /** It ended because a call was denied. */
  denied: 3,
  /** The run waits for a decision or an answer. */
  paused: 4,
  /** No server answers, or it refuses this caller. */
  unreachable: 5,
  /** Ended by Ctrl-C or SIGTERM, or the run was cancelled. */
  cancelled: 130,
} as const;

/** One of the values of {@link exitCode}. */
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Meaning of each exit code, for help and README. */
export const exitCodeMeanings: ReadonlyMap<ExitCode, string> = new Map([
  [exitCode.ok, 'ok'],
  [exitCode.failed, 'the run, the script, a tool or a check failed'],
  [exitCode.usage, 'the command line or the configuration is wrong, or names something that does not exist'],
  [exitCode.denied, 'ended because a call was denied'],
  [exitCode.paused, 'the run waits for a decision or an answer'],
  [exitCode.unreachable, 'no server answers, or it refuses this caller'],
  [exitCode.cancelled, 'cancelled by Ctrl-C, SIGTERM or another caller'],
]);

/** End of a run. */
export interface EndOfRun {
  readonly status: RunStatus;
  readonly error?: { readonly code: string } | undefined;
}

const codes: readonly (readonly [ExitCode, readonly string[]])[] = [
  [exitCode.denied, ['E_APPROVAL_DENIED', 'E_APPROVAL_NO_HANDLER', 'E_APPROVAL_EXPIRED', 'E_TOOL_NOT_ALLOWED']],
  [exitCode.unreachable, ['E_SERVER_UNREACHABLE', 'E_UNAUTHENTICATED', 'E_FORBIDDEN', 'E_RATE_LIMITED']],
  [exitCode.cancelled, ['E_CANCELLED']],
  [
    exitCode.usage,
    [
      'E_AGENT_UNKNOWN',
      'E_APPROVAL_UNKNOWN',
      'E_ARGUMENTS_INVALID',
      'E_ARTIFACT_UNKNOWN',
      'E_CHANNEL_UNKNOWN',
      'E_CONFIG_INVALID',
      'E_MEMORY_UNKNOWN',
      'E_TRIGGER_UNKNOWN',
      'E_PLUGIN_INVALID',
      'E_PLUGIN_NOT_FOUND',
      'E_REQUEST_INVALID',
      'E_RUN_NOT_FOUND',
      'E_SNIPPET_INVALID',
      'E_SNIPPET_UNKNOWN',
      'E_SOURCE_UNKNOWN',
      'E_TOOL_NAME_CONFLICT',
      'E_TOOL_UNKNOWN',
      'E_USAGE',
      'E_WORKSPACE_INVALID',
      'E_WORKSPACE_UNKNOWN',
    ],
  ],
];

const exitCodes: ReadonlyMap<string, ExitCode> = new Map(
  codes.flatMap(([exit, errors]) => errors.map((error) => [error, exit] as const)),
);

/** Returns the exit code of an error that ended a command, a run or a call. */
export function exitCodeOfError(code: string): ExitCode {
  return exitCodes.get(code) ?? exitCode.failed;
}

/** Returns the exit code of a run that ended or is paused. */
export function exitCodeOfRun({ status, error }: EndOfRun): ExitCode {
  if (status === 'completed') return exitCode.ok;
  if (status === 'paused' || status === 'blocked') return exitCode.paused;
  if (status === 'cancelled') return exitCode.cancelled;
  return exitCodeOfError(error?.code ?? '') === exitCode.denied ? exitCode.denied : exitCode.failed;
}
