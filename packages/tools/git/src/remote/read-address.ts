import { KernelError } from '@ravi/kernel';
import type { GitProtocol } from '../options.ts';
import { withoutSecrets } from '../run/git-error.ts';

/** Address of another repository. */
export interface RemoteAddress {
  readonly protocol: GitProtocol;
  /** Absent for a folder of this machine. */
  readonly host?: string;
  /** Port, if the address names one. */
  readonly port?: string;
  /** Path on the other side. */
  readonly path: string;
  /** Address made of its parts, for the command line. Absent for a folder of this machine. */
  readonly url?: string;
}

const shortForm = /^(?:[A-Za-z0-9_][\w.-]*@)?(?<host>[A-Za-z0-9][\w.-]*):(?<path>[^-:][^\p{Cc}]*)$/u;
/** Narrower than any program reads it: in `\`, `?`, `#` and a second `@` git, curl and ssh see another host than `URL` does. */
const urlForm =
  /^(?:(?<user>[A-Za-z0-9_][\w.-]*)@)?(?<host>[A-Za-z0-9][\w.-]*|\[[\da-f:.]+\])(?::(?<port>\d{1,5}))?(?<path>\/.*)?$/isu;

/**
 * Reads an address: `https://host/path`, `ssh://host/path`, `user@host:path`, `file:///path`, or a path.
 * @throws KernelError `E_ARGUMENTS_INVALID` for any other, such as one whose transport is a program
 */
export function readAddress(text: string): RemoteAddress {
  if (text === '' || text.startsWith('-') || /\p{Cc}/u.test(text) || text.length > 2048) throw unusable(text);
  // `ext::` and other helpers of git. An IPv6 address may have two colons.
  if (text.replace(/\/\/(?:[\w.-]+@)?\[[\da-f:.]+\]/i, '').includes('::')) throw unusable(text);
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(text)?.[1];
  if (scheme !== undefined) return readUrl(text, scheme);
  const { host, path } = shortForm.exec(text)?.groups ?? {};
  if (host !== undefined && path !== undefined) return { protocol: 'ssh', host: host.toLowerCase(), path, url: text };
  if (text.includes(':')) throw unusable(text);
  return { protocol: 'file', path: checkedPath(text, text) };
}

function readUrl(text: string, scheme: string): RemoteAddress {
  const rest = text.slice(`${scheme}://`.length);
  if (scheme === 'file') return { protocol: 'file', path: checkedPath(decoded(rest, text), text) };
  if ((scheme !== 'https' && scheme !== 'ssh') || !URL.canParse(text)) throw unusable(text);
  const { user, host = '', port, path = '/' } = urlForm.exec(rest)?.groups ?? {};
  const name = host.toLowerCase();
  // A host that `URL` writes in another way, such as 0x7f.1, passes no list of hosts by its text.
  if (name === '' || new URL(text).hostname.toLowerCase() !== name) throw unusable(text);
  if (scheme === 'https' && user !== undefined) throw unusable(text);
  const authority = `${user === undefined ? '' : `${user}@`}${name}${port === undefined ? '' : `:${port}`}`;
  return {
    protocol: scheme,
    host: name,
    ...(port === undefined ? {} : { port }),
    path,
    url: `${scheme}://${authority}${path}`,
  };
}

/** Decodes the path of a `file` address as git does, which knows no query. */
function decoded(path: string, text: string): string {
  if (!path.startsWith('/') || /[\\?#]/.test(path)) throw unusable(text);
  try {
    return decodeURIComponent(path);
  } catch {
    throw unusable(text);
  }
}

/** Refuses `..` after a name: git follows a link of that name first, and the check of the path would not. */
function checkedPath(path: string, text: string): string {
  if (/\p{Cc}/u.test(path) || /(?:^|\/)(?!\.{0,2}(?:\/|$))[^/]*\/(?:.*\/)?\.\.(?:\/|$)/s.test(path))
    throw unusable(text);
  return path;
}

function unusable(text: string): KernelError {
  const shown = withoutSecrets(text.length > 200 ? `${text.slice(0, 199)}…` : text);
  const message = `The address ${JSON.stringify(shown)} cannot be used: write https://host/path, ssh://host/path or user@host:path`;
  return new KernelError('E_ARGUMENTS_INVALID', message, { hadNoEffect: true });
}
