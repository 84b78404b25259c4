import { KernelError } from '@ravi/kernel';
import type { GitContext, GitParts } from '../options.ts';
import { gitEnvironment } from './git-environment.ts';
import { runGit } from './run-git.ts';

/** First version with `http.curloptResolve`, without which git looks up the address of a host again. */
const pinning = [2, 37] as const;

/** Versions by the folders in which the program is looked for. */
const versions = new Map<string, string>();

/**
 * Checks that git connects to the address that was checked. The version of a program is asked for once.
 * @throws KernelError `E_GIT_VERSION` below 2.37, `E_GIT_MISSING`
 */
export async function requirePinning({ options }: GitParts, { signal }: GitContext): Promise<void> {
  const env = gitEnvironment({ protocols: [], readsOnly: true, more: options.environment ?? {}, settings: [] });
  const known = versions.get(env['PATH'] ?? '');
  const version = known ?? (await runGit({ args: ['version'], cwd: '/', env, signal })).stdout.toString('utf8').trim();
  versions.set(env['PATH'] ?? '', version);
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
  if (major > pinning[0] || (major === pinning[0] && minor >= pinning[1])) return;
  throw new KernelError(
    'E_GIT_VERSION',
    `The installed ${version || 'git'} cannot be led to the address that was checked: install git ${pinning.join('.')} or later`,
    { hadNoEffect: true },
  );
}
