import { execFile } from 'node:child_process';
import { cp, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const template = join(import.meta.dirname, '../template');
const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'init.defaultBranch=main'];

// Within a hook of git these variables name another repository.
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));

/** Makes a repository with one commit of the files in `template`, unless the folder is one already. Needs git. */
export async function createRepository(folder: string): Promise<void> {
  // The commit is the last step, so a repository without one is begun again.
  const isThere = await stat(join(folder, '.git/logs/HEAD')).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  await mkdir(folder, { recursive: true });
  await cp(template, folder, { recursive: true });
  const git = (...args: string[]): Promise<unknown> =>
    run('git', [...author, ...args], { cwd: folder, env: environment });
  await git('init', '--quiet');
  await git('add', '--all');
  await git('commit', '--quiet', '--no-verify', '--no-gpg-sign', '--message', 'Add prices');
}

/** Returns the commits of a repository, newest first, a line each. */
export async function commitsOf(folder: string): Promise<readonly string[]> {
  const { stdout } = await run('git', ['log', '--format=%h %an: %s'], { cwd: folder, env: environment });
  return stdout.trimEnd().split('\n');
}
