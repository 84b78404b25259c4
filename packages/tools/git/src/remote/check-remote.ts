import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { KernelError } from '@ravi/kernel';
import type { Workspace } from '@ravi/tools-kit';
import type { GitParts } from '../options.ts';
import { checkGitFolder, isInside, untrusted } from '../repository/check-git-folder.ts';
import { readConfigList, refusedKey } from '../repository/configured.ts';
import type { GitContext, Repository } from '../repository/open-repository.ts';
import { gitEnvironment } from '../run/git-environment.ts';
import { runGit } from '../run/run-git.ts';
import { pinHost } from './pin-host.ts';
import { readAddress } from './read-address.ts';
import type { RemoteAddress } from './read-address.ts';

/** Other repository that a command may reach. */
export interface CheckedRemote {
  /** Address for the command line. */
  readonly url: string;
  readonly isLocal: boolean;
  readonly protocols: readonly string[];
  readonly settings: readonly (readonly [key: string, value: string])[];
  /** Options of ssh for this host. */
  readonly sshOptions: readonly string[];
}

/** Place from which an address is used. */
export interface RemotePlace {
  readonly workspace: Workspace;
  /** Folder for a relative path. */
  readonly folder: string;
}

/**
 * Checks an address against the options of the source. A folder of this machine has to be a repository in the workspace that starts no program.
 * @throws KernelError `E_ARGUMENTS_INVALID`, `E_GIT_PROTOCOL`, `E_GIT_HOST`, `E_PATH_OUTSIDE`, `E_GIT_UNTRUSTED`
 */
export async function checkRemote(
  parts: GitParts,
  context: GitContext,
  place: RemotePlace,
  text: string,
): Promise<CheckedRemote> {
  const address = readAddress(text);
  const { protocols = ['https', 'ssh'], hosts } = parts.options;
  if (!protocols.includes(address.protocol)) {
    const message = `The transport ${address.protocol} is switched off. Add it to "protocols" of this tool source`;
    throw new KernelError('E_GIT_PROTOCOL', message, { hadNoEffect: true });
  }
  if (address.protocol === 'file') return checkFolder(context, place, address);
  const { host = '', url = text } = address;
  if (hosts !== undefined && !hosts.some((each) => each.toLowerCase() === host)) {
    throw new KernelError('E_GIT_HOST', `The host ${host} is not one of "hosts" of this tool source`, {
      hadNoEffect: true,
    });
  }
  const { settings, sshOptions } = await pinHost(parts.options, address);
  return {
    url,
    isLocal: false,
    protocols: [address.protocol],
    settings: [...credentialSettings(parts, address), ...settings],
    sshOptions,
  };
}

function credentialSettings({ options }: GitParts, { protocol, host = '' }: RemoteAddress): CheckedRemote['settings'] {
  const credential = protocol === 'https' ? options.credentials?.[host] : undefined;
  if (credential === undefined) return [];
  const token = Buffer.from(`${credential.username}:${credential.password}`).toString('base64');
  return [[`http.https://${host}/.extraHeader`, `Authorization: Basic ${token}`]];
}

async function checkFolder(
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
  await checkGitFolder(data);
  const env = gitEnvironment({ protocols: [], readsOnly: true, more: {}, settings: [] });
  const args = ['config', '--file', join(data, 'config'), '--list', '-z', '--no-includes'];
  const { stdout } = await runGit({ args, cwd: workspace.root, env, signal: context.signal });
  const refused = refusedKey(readConfigList(stdout.toString('utf8')), ['network', 'content']);
  if (refused !== undefined) throw untrusted(`the configuration of the other repository sets ${refused}`);
  return { url: pathToFileURL(real).href, isLocal: true, protocols: ['file'], settings: [], sshOptions: [] };
}

/**
 * Checks every address of a remote of a repository, and returns the first.
 * @throws KernelError `E_GIT_REMOTE` for an unknown remote, and those of {@link checkRemote}
 */
export async function checkNamedRemote(
  parts: GitParts,
  context: GitContext,
  repository: Repository,
  name: string,
  isPush: boolean,
): Promise<CheckedRemote> {
  const { config, workspace, top } = repository;
  const fetched = config.get(`remote.${name}.url`) ?? [];
  const pushed = config.get(`remote.${name}.pushurl`) ?? fetched;
  const addresses = isPush ? pushed : fetched;
  const [first, ...more] = addresses;
  if (first === undefined) {
    const names = [...config.keys()].flatMap((key) => /^remote\.(.*)\.url$/s.exec(key)?.[1] ?? []);
    const known = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
    throw new KernelError('E_GIT_REMOTE', `The repository has no remote ${JSON.stringify(name)}: ${known}`, {
      hadNoEffect: true,
    });
  }
  // A push goes to each of them, and an approver has seen one name.
  if (more.length > 0) throw untrusted(`its remote ${JSON.stringify(name)} has several addresses`);
  return checkRemote(parts, context, { workspace, folder: top }, first);
}
