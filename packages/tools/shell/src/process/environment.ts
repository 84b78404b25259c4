const passed = new Set(['HOME', 'LANG', 'LANGUAGE', 'LOGNAME', 'PATH', 'SHELL', 'TMPDIR', 'TZ', 'USER']);

/** Variables of a container in place of those of the server: its programs are at other places, and its user has no folder. */
const ofContainer: Readonly<Record<string, string>> = { HOME: '/tmp', LANG: 'C.UTF-8' };

const fixed: Readonly<Record<string, string>> = {
  // Output is read by a model: no colours, no pager, no question at a terminal.
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
};

/** Options of {@link createEnvironment}. */
export interface EnvironmentOptions {
  /** Environment of this process. */
  readonly own: Readonly<Record<string, string | undefined>>;
  /** Names of further variables that commands may see. */
  readonly passEnv?: readonly string[];
  /** Variables with values of the configuration. */
  readonly env?: Readonly<Record<string, string>>;
  /** True for commands in a container. Default: false. */
  readonly isContained?: boolean;
}

/**
 * Returns the environment of commands: an allow-list of this process' variables (`HOME`, `PATH`, `LANG`, `LC_*` and the like), so that no
 * secret of the server is in it, those that the operator names, and settings for output without a terminal. A container gets only the latter
 * two.
 */
export function createEnvironment({
  own,
  passEnv = [],
  env = {},
  isContained = false,
}: EnvironmentOptions): Readonly<Record<string, string>> {
  const names = new Set(passEnv);
  const kept = Object.entries(own).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (names.has(entry[0]) || (!isContained && isPassed(entry[0]))),
  );
  return { ...fixed, ...(isContained ? ofContainer : {}), ...Object.fromEntries(kept), ...env };
}

function isPassed(name: string): boolean {
  return passed.has(name) || name.startsWith('LC_');
}
