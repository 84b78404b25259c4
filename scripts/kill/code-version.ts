import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const manifest = join(root, 'apps/monolith/bundle/dist/current.json');

/** Returns a digest of the code that runs in a kill test: what the bundle of the server was made of, and the test. */
export function codeDigest(): string {
  const { inputs: stamped } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    readonly inputs: readonly [string, string][];
  };
  const inputs = stamped.map(([path]) => path);
  const own = globSync(['scripts/kill-test.ts', 'scripts/kill/*.ts', 'scripts/lib/postgres.ts'], { cwd: root });
  const digest = createHash('sha256');
  for (const path of [...inputs, ...own].toSorted()) digest.update(`${path}\n`).update(contentOf(path));
  return digest.digest('hex').slice(0, 16);
}

/** Returns the commit of the code, with `-dirty` if files were changed since; `unknown` outside a checkout. */
export function codeCommit(): string {
  const { status, stdout } = spawnSync('git', ['describe', '--always', '--dirty', '--exclude=*'], {
    cwd: root,
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : 'unknown';
}

// A file may be removed while a round runs.
function contentOf(path: string): string {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return 'missing';
  }
}
