import { appendFileSync, copyFileSync, existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfigList } from './configured.ts';
import type { RepositoryConfig } from './configured.ts';
import { stateOf } from './data-folder.ts';
import { untrusted } from '../run/git-error.ts';

const maxConfigBytes = 1024 * 1024;
/** Settings that commands of the tools write: the upstream of a branch, which is renamed and removed with it. */
const writtenKey = /^branch\./;

/** Runs `git config` with arguments and returns its output. Exit codes other than 0 and `okCode` are errors. */
export type ConfigCommand = (args: readonly string[], okCode?: number) => Promise<string>;

/** Private copy of the configuration of a repository. No other program can change it, so git obeys what was checked. */
export interface PrivateConfig {
  readonly entries: RepositoryConfig;
  /** Gives a remote this one address for fetch and push. */
  setAddress(remote: string, url: string): Promise<void>;
  /**
   * Returns a file with the configuration as it was read and the settings of branches that commands have changed since; `undefined` if they
   * changed none. Other settings, such as those of a hook, are not taken over.
   */
  changed(): Promise<string | undefined>;
}

/**
 * Opens the copied configuration in `commonFolder`, and adds that of the work tree in `gitFolder` if it counts.
 * @throws KernelError `E_GIT_UNTRUSTED` for one of more than 1 MiB, `E_GIT_FAILED` for one that git cannot read
 */
export async function openPrivateConfig(
  command: ConfigCommand,
  commonFolder: string,
  gitFolder: string,
): Promise<PrivateConfig> {
  const file = join(commonFolder, 'config');
  const asRead = join(commonFolder, '..', 'config');
  if (!existsSync(file)) writeFileSync(file, '');
  copyFileSync(file, asRead);
  const list = async (): Promise<RepositoryConfig> =>
    readConfigList(await command(['--file', file, '--list', '-z', '--no-includes']));
  await addWorkTree(command, file, join(gitFolder, 'config.worktree'));
  if (lstatSync(file).size > maxConfigBytes) throw untrusted(`its configuration has more than ${maxConfigBytes} bytes`);
  const entries = await list();
  let known = entries;
  let state = stateOf(lstatSync(file, { bigint: true }));
  return {
    entries,
    async setAddress(remote, url) {
      await command(['--file', file, '--unset-all', `remote.${remote}.pushurl`], 5);
      await command(['--file', file, '--replace-all', `remote.${remote}.url`, url]);
      state = stateOf(lstatSync(file, { bigint: true }));
    },
    async changed() {
      const stateNow = stateOf(lstatSync(file, { bigint: true }));
      if (stateNow === state) return undefined;
      const now = await list();
      const keys = [...new Set([...known.keys(), ...now.keys()])].filter(
        (key) => writtenKey.test(key) && !isSame(known.get(key), now.get(key)),
      );
      for (const key of keys) {
        await command(['--file', asRead, '--unset-all', key], 5);
        for (const value of now.get(key) ?? []) await command(['--file', asRead, '--add', key, value]);
      }
      known = now;
      state = stateNow;
      return keys.length === 0 ? undefined : asRead;
    },
  };
}

/** Makes one file of the configuration of the repository and that of its work tree, which git would read from the workspace. */
async function addWorkTree(command: ConfigCommand, file: string, workTreeFile: string): Promise<void> {
  const key = 'extensions.worktreeConfig';
  const value = await command(['--file', file, '--no-includes', '--type=bool', '--get', key], 1);
  if (value === '') return;
  if (value.trim() === 'true' && existsSync(workTreeFile))
    appendFileSync(file, Buffer.concat([Buffer.from('\n'), readFileSync(workTreeFile)]));
  await command(['--file', file, '--unset-all', key], 5);
}

function isSame(one: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
