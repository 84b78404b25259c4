import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { KernelError } from '@ravi/kernel';
import type { Workspace } from '@ravi/tools-kit';
import type { GitContext, GitParts } from '../options.ts';
import { openPrivateData } from '../private/private-data.ts';
import type { PrivateData } from '../private/private-data.ts';
import { refusedKey } from '../private/configured.ts';
import { hasRepository, objectsNumbers, openRepository } from '../repository/open-repository.ts';
import type { OtherRepository, Repository } from '../repository/open-repository.ts';
import { requirePinning } from '../run/git-version.ts';
import { pinHost } from './pin-host.ts';
import { readAddress } from './read-address.ts';
import type { RemoteAddress } from './read-address.ts';
import { isInside } from '../private/data-folder.ts';
import { untrusted } from '../run/git-error.ts';

/** Other repository that a command may reach. Dispose it after the call. */
export interface CheckedRemote extends OtherRepository, Disposable {
  /** Address that was checked. */
  readonly url: string;
  /** Private copy of the data of a repository of this machine. Absent for another machine. */
  readonly data?: PrivateData;
}

/** Place from which an address is used. */
export interface RemotePlace {
  readonly workspace: Workspace;
  /** Folder for a relative path. */
  readonly folder: string;
}

/**
 * Checks the text of an address against the options of the source, without any connection.
 * @throws KernelError `E_ARGUMENTS_INVALID`, `E_GIT_PROTOCOL`, `E_GIT_HOST`
 */
export function checkAddress({ options }: GitParts, text: string): RemoteAddress {
  const address = readAddress(text);
  const { protocols = ['https', 'ssh'], hosts } = options;
  if (!protocols.includes(address.protocol)) {
    const message = `The transport ${address.protocol} is switched off. Add it to "protocols" of this tool source`;
    throw new KernelError('E_GIT_PROTOCOL', message, { hadNoEffect: true });
  }
  const { protocol, host = '' } = address;
  if (protocol !== 'file' && hosts !== undefined && !hosts.some((each) => each.toLowerCase() === host)) {
    throw new KernelError('E_GIT_HOST', `The host ${host} is not one of "hosts" of this tool source`, {
      hadNoEffect: true,
    });
  }
  return address;
}

/**
 * Checks an address against the options of the source. A folder of this machine has to be a repository in the workspace that starts no program.
 * @throws KernelError as {@link checkAddress}, `E_PATH_OUTSIDE`, `E_GIT_UNTRUSTED`
 */
export async function checkRemote(
  parts: GitParts,
  context: GitContext,
  place: RemotePlace,
  text: string,
): Promise<CheckedRemote> {
  const address = checkAddress(parts, text);
  if (address.protocol === 'file') return checkFolder(parts, context, place, address);
  const { url = text } = address;
  if (address.protocol === 'https') await requirePinning(parts, context);
  const { settings, sshOptions } = await pinHost(parts.options, address);
  return {
    url,
    protocols: [address.protocol],
    settings: [...credentialSettings(parts, address), ...settings],
    sshOptions,
    [Symbol.dispose]: () => {},
  };
}

function credentialSettings(
  { options }: GitParts,
  { protocol, host = '' }: RemoteAddress,
): OtherRepository['settings'] {
  const credential = protocol === 'https' ? options.credentials?.[host] : undefined;
  if (credential === undefined) return [];
  const token = Buffer.from(`${credential.username}:${credential.password}`).toString('base64');
  return [[`http.https://${host}/.extraHeader`, `Authorization: Basic ${token}`]];
}

async function checkFolder(
  parts: GitParts,
  context: GitContext,
  { workspace, folder }: RemotePlace,
  { path }: RemoteAddress,
): Promise<CheckedRemote> {
  const named = resolve(folder, path);
  using place = workspace.locate(named);
  const real = place.path === '.' ? workspace.root : join(workspace.root, place.path);
  if (!isInside(workspace.root, real)) throw untrusted('the other repository is outside of the workspace');
  const inner = await lstat(join(real, '.git')).catch(() => undefined);
  if (inner !== undefined && !inner.isDirectory()) throw untrusted('".git" of the other repository is not a folder');
  const data = inner === undefined ? real : join(real, '.git');
  if ((await lstat(join(data, 'objects')).catch(() => undefined)) === undefined) {
    throw new KernelError('E_GIT_NO_REPOSITORY', `There is no git repository in ${JSON.stringify(path)}`, {
      hadNoEffect: true,
    });
  }
  const folders = { workspace, gitFolder: data, commonFolder: data };
  const copy = await openPrivateData(parts, context, folders, { hooks: false, objectsNumber: objectsNumbers.other });
  const refused = refusedKey(copy.config.entries, ['network', 'content']);
  if (refused === undefined) {
    const url = pathToFileURL(real).href;
    return { url, data: copy, protocols: ['file'], settings: [], [Symbol.dispose]: () => copy[Symbol.dispose]() };
  }
  copy[Symbol.dispose]();
  throw untrusted(`the configuration of the other repository sets ${refused}`);
}

/**
 * Checks that a repository has a remote and that its address is allowed, before people are asked about a call. A call without a repository
 * passes: an earlier call may make it.
 * @throws KernelError `E_GIT_REMOTE`, `E_GIT_UNTRUSTED`, and those of {@link checkAddress} and `openRepository`
 */
export async function checkCallRemote(
  parts: GitParts,
  context: GitContext,
  path: string | undefined,
  { remote, isPush }: { readonly remote: string; readonly isPush: boolean },
): Promise<void> {
  if (!(await hasRepository(parts, context, path))) return;
  using repository = await openRepository(parts, context, path);
  checkAddress(parts, addressOf(repository, remote, isPush));
}

/** Returns the address of a remote. @throws KernelError `E_GIT_REMOTE` if there is none, `E_GIT_UNTRUSTED` for several */
function addressOf({ config }: Repository, name: string, isPush: boolean): string {
  const fetched = config.get(`remote.${name}.url`) ?? [];
  const pushed = config.get(`remote.${name}.pushurl`) ?? fetched;
  const [first, ...more] = isPush ? pushed : fetched;
  if (first === undefined) {
    const names = [...config.keys()].flatMap((key) => /^remote\.(.*)\.url$/s.exec(key)?.[1] ?? []);
    const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
    throw new KernelError('E_GIT_REMOTE', `The repository has no remote ${JSON.stringify(name)}: ${known}`, {
      hadNoEffect: true,
    });
  }
  // A push goes to each of them, and an approver has seen one name.
  if (more.length > 0) throw untrusted(`its remote ${JSON.stringify(name)} has several addresses`);
  return first;
}

/**
 * Checks the address of a remote of a repository, and makes git use it as it was checked.
 * @throws KernelError `E_GIT_REMOTE` for an unknown remote, and those of {@link checkRemote}
 */
export async function checkNamedRemote(
  parts: GitParts,
  context: GitContext,
  repository: Repository,
  name: string,
  isPush: boolean,
): Promise<CheckedRemote> {
  const { workspace, top } = repository;
  const address = addressOf(repository, name, isPush);
  const checked = await checkRemote(parts, context, { workspace, folder: join(workspace.root, top) }, address);
  try {
    await repository.setAddress(name, checked.url);
    return checked;
  } catch (error) {
    checked[Symbol.dispose]();
    throw error;
  }
}
