import { KernelError } from '@ravi/kernel';

const maxShown = 2_000;

/** Facts about a failed command. */
export interface GitFailure {
  /** Name of the command, for the message. */
  readonly command: string;
  readonly stderr: string;
  /** Absolute path of the workspace, which the message must not contain. */
  readonly root: string;
  /** True if the command takes the lock of the index before its first effect. */
  readonly locksFirst: boolean;
}

const kinds: readonly (readonly [pattern: RegExp, code: string, advice: string])[] = [
  // Before the locks, which cannot be created either. ssh has another reason in brackets.
  [
    /: (?:Permission denied|Read-only file system)$|insufficient permission/im,
    'E_FILE_FORBIDDEN',
    'The user of the server needs access',
  ],
  [
    /\.lock': File exists|cannot lock ref|Unable to create .*\.lock/,
    'E_GIT_LOCKED',
    'Another git command works on this repository, or one was killed and left its lock file. Try again later',
  ],
  [
    /unknown revision|bad revision|Needed a single revision|not a valid object name|invalid reference|bad object|ambiguous argument|not a commit/i,
    'E_GIT_UNKNOWN_REVISION',
    '',
  ],
  [
    /Please tell me who you are|no email was given|empty ident name/i,
    'E_GIT_IDENTITY',
    'Set "identity" of this tool source',
  ],
  [/transport '.*' not allowed/, 'E_GIT_PROTOCOL', 'The address uses a transport that is switched off'],
  [
    /could not read Username|Authentication failed|terminal prompts disabled|Permission denied \(publickey/i,
    'E_GIT_CREDENTIALS',
    'Set "credentials" or "environment" of this tool source',
  ],
];

/** Turns the output of a failed command into an error without paths of the host and passwords of addresses. */
export function gitError({ command, stderr, root, locksFirst }: GitFailure): KernelError {
  const text = shownText(stderr, root) || 'it gave no reason';
  const [, code = 'E_GIT_FAILED', advice = ''] = kinds.find(([pattern]) => pattern.test(stderr)) ?? [];
  const isLocked = code === 'E_GIT_LOCKED';
  const message = `git ${command} failed: ${text}${advice === '' ? '' : `. ${advice}`}`;
  return new KernelError(code, message, { retryable: isLocked && locksFirst, hadNoEffect: isLocked && locksFirst });
}

/** Returns text of git for a reader: without the path of the workspace, passwords in addresses and hints for a terminal. */
export function shownText(text: string, root: string): string {
  const lines = text.split('\n').filter((line) => !line.startsWith('hint:') && line.trim() !== '');
  const plain = withoutSecrets(lines.join('\n')).replaceAll(`${root}/`, '').replaceAll(root, '.');
  return plain.length > maxShown ? `${plain.slice(0, maxShown)}…` : plain;
}

/** Replaces user names and passwords in addresses. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(/:\/\/[^/\s@]{1,4096}@/g, '://***@');
}

/** Returns the error of a repository that would lead out of the workspace, or start a program. */
export function untrusted(reason: string): KernelError {
  return new KernelError('E_GIT_UNTRUSTED', `The repository is not used: ${reason}`, { hadNoEffect: true });
}

/** Returns the error of a folder without a repository in it or above it. */
export function noRepository(path: string): KernelError {
  const message = `There is no git repository in ${JSON.stringify(path)} or above it in the workspace`;
  return new KernelError('E_GIT_NO_REPOSITORY', message, { hadNoEffect: true });
}
