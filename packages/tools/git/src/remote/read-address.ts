import { KernelError } from '@ravi/kernel';
import type { GitProtocol } from '../options.ts';
import { withoutSecrets } from '../run/git-error.ts';

/** Address of another repository. */
export interface RemoteAddress {
  readonly protocol: GitProtocol;
  /** Absent for a folder of this machine. */
  readonly host?: string;
  /** Path on the other side. */
  readonly path: string;
}

const shortForm = /^(?:[A-Za-z0-9_][\w.-]*@)?(?<host>[A-Za-z0-9][\w.-]*):(?<path>[^-:][^\p{Cc}]*)$/u;
const hostForm = /^[A-Za-z0-9[][\w.:-]*\]?$/;

/**
 * Reads an address: `https://host/path`, `ssh://host/path`, `user@host:path`, `file:///path`, or a path.
 * @throws KernelError `E_ARGUMENTS_INVALID` for any other, such as one whose transport is a program
 */
export function readAddress(text: string): RemoteAddress {
  if (text === '' || text.startsWith('-') || /\p{Cc}/u.test(text) || text.length > 2048) throw unusable(text);
  // `ext::` and other helpers of git.
  if (text.includes('::')) throw unusable(text);
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(text)?.[1];
  if (scheme !== undefined) return readUrl(text, scheme);
  const { host, path } = shortForm.exec(text)?.groups ?? {};
  if (host !== undefined && path !== undefined) return { protocol: 'ssh', host: host.toLowerCase(), path };
  if (text.includes(':')) throw unusable(text);
  return { protocol: 'file', path: text };
}

function readUrl(text: string, scheme: string): RemoteAddress {
  if (scheme !== 'https' && scheme !== 'ssh' && scheme !== 'file') throw unusable(text);
  if (!URL.canParse(text)) throw unusable(text);
  const { hostname, username, pathname } = new URL(text);
  if (scheme === 'file') {
    if (hostname !== '') throw unusable(text);
    return { protocol: 'file', path: decodeURIComponent(pathname) };
  }
  if (!hostForm.test(hostname) || username.startsWith('-')) throw unusable(text);
  return { protocol: scheme, host: hostname.toLowerCase(), path: pathname };
}

function unusable(text: string): KernelError {
  const shown = withoutSecrets(text.length > 200 ? `${text.slice(0, 199)}…` : text);
  const message = `The address ${JSON.stringify(shown)} cannot be used: write https://host/path, ssh://host/path or user@host:path`;
  return new KernelError('E_ARGUMENTS_INVALID', message, { hadNoEffect: true });
}
