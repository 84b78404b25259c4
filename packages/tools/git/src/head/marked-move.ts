import { createHash } from 'node:crypto';
import type { ReconcileAnswer, ReconcileContext } from '@ravi/kernel';
import type { GitParts } from '../options.ts';
import { openRepository } from '../repository/open-repository.ts';
import type { Repository } from '../repository/open-repository.ts';

/**
 * Returns the text with which a call marks its entry in the log of `HEAD`. The log is local: it is not part of a commit and is not pushed.
 */
export function markOf(command: string, idempotencyKey: string): string {
  const digest = createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 24);
  return `${command} (call ${digest})`;
}

/**
 * Finds out whether a call that moves `HEAD` took effect, by its mark in the log. Only the newest 1 000 entries are looked at; `describe`
 * makes the result from the digest that the call left.
 */
export async function reconcileMove<Result>(
  parts: GitParts,
  mark: string,
  path: string | undefined,
  context: ReconcileContext,
  describe: (repository: Repository, hash: string) => Promise<Result>,
): Promise<ReconcileAnswer<Result>> {
  using repository = await openRepository(parts, context, path);
  const { stdout, exitCode } = await repository.run(
    ['log', '--walk-reflogs', '--max-count=1000', '--format=%H%x00%gs%x00', 'HEAD', '--'],
    { okCodes: [0, 128] },
  );
  // A repository without a commit has no log.
  const fields = exitCode === 0 ? stdout.toString('utf8').split('\0') : [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    if (fields[at + 1]?.startsWith(`${mark}:`) !== true) continue;
    const hash = fields[at]?.trim() ?? '';
    // The log is written a moment before the branch.
    const reached = await repository.run(['merge-base', '--is-ancestor', hash, 'HEAD'], { okCodes: [0, 1, 128] });
    if (reached.exitCode !== 0) return 'unknown';
    return { happened: true, result: await describe(repository, hash) };
  }
  return { happened: false };
}
