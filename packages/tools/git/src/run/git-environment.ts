/** Options of {@link gitEnvironment}. */
export interface GitEnvironmentOptions {
  /** Transports that the command may use; none for a command that stays in its repository. */
  readonly protocols: readonly string[];
  /** True for a command that must not write, not even the index. */
  readonly readsOnly: boolean;
  /** Name and e-mail address of the author and committer; those of the repository when absent. */
  readonly identity?: { readonly name: string; readonly email: string } | undefined;
  /** Variables that the operator adds. */
  readonly more: Readonly<Record<string, string>>;
  /** Configuration in addition to the fixed options, for keys that an option cannot express. */
  readonly settings: readonly (readonly [key: string, value: string])[];
  /** Options of ssh. They do not count if the operator sets `GIT_SSH_COMMAND`. */
  readonly sshOptions?: readonly string[];
}

/** Returns the whole environment of a git command: no configuration of the system and of the user, no prompt, no editor. */
export function gitEnvironment(options: GitEnvironmentOptions): Record<string, string> {
  const { protocols, readsOnly, identity, more, settings, sshOptions = [] } = options;
  const named = identity === undefined ? {} : identityVariables(identity);
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: '/dev/null',
    LC_ALL: 'C.UTF-8',
    LANGUAGE: 'C',
    GIT_SSH_COMMAND: [sshCommand(more), ...sshOptions].join(' '),
    ...named,
    ...more,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_EDITOR: ':',
    GIT_SEQUENCE_EDITOR: ':',
    GIT_PAGER: 'cat',
    GIT_MERGE_AUTOEDIT: 'no',
    // The empty list would allow what the configuration allows.
    GIT_ALLOW_PROTOCOL: protocols.length === 0 ? 'none' : protocols.join(':'),
    ...(protocols.length === 0 ? { GIT_NO_LAZY_FETCH: '1' } : {}),
    ...(readsOnly ? { GIT_OPTIONAL_LOCKS: '0' } : {}),
    ...settingVariables(settings),
  };
}

/**
 * ssh takes the folder of its user from the system, not from `HOME`. So its configuration and keys are switched off here; keys come from the
 * agent that the operator names.
 */
function sshCommand(more: Readonly<Record<string, string>>): string {
  const command = 'ssh -F /dev/null -o BatchMode=yes -o IdentityFile=none';
  return more['SSH_AUTH_SOCK'] === undefined ? `${command} -o IdentitiesOnly=yes` : command;
}

function identityVariables({ name, email }: { readonly name: string; readonly email: string }): Record<string, string> {
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}

function settingVariables(settings: GitEnvironmentOptions['settings']): Record<string, string> {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}
