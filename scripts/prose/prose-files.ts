import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../lib/workspace.ts';

const isText = /\.(?:ts|tsx|js|mjs|py|md|ya?ml|jsonc?|html|css|sh)$|^\.ci\/run$/;
// Lists and data that are written by programs or by others, and the list of phrases itself.
const isExempt =
  /(?:^|\/)(?:pnpm-lock\.yaml|CHANGELOG\.md)$|\/fixtures\/|^scripts\/prose\/|^scripts\/test\/find-phrases\.test\.ts$|^docs\/glossary\.md$/;

/** Paths of all tracked and new files whose text people read, from the root of the repository. */
export function proseFiles(): readonly string[] {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  return list.split('\n').filter((path) => isText.test(path) && !isExempt.test(path) && existsSync(join(root, path)));
}
