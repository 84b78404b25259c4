import { KernelError } from '@ravi/kernel';
import { quoted } from '@ravi/tools-kit';
import type { Repository } from './open-repository.ts';

const pathsAtOnce = 20_000;
/** Values of the attribute that name no filter. */
const unnamed: ReadonlySet<string> = new Set(['unspecified', 'unset', 'set']);

/**
 * Checks that no file among `selected` would be staged without the filter that its attributes name. Filters that only the configuration of a
 * user defines, such as that of Git LFS, do not count here, and git stages the content as it is then. `selected` are the arguments from `--`.
 * @throws KernelError `E_GIT_FILTER`, which names the first file
 */
export async function checkFilters(repository: Repository, selected: readonly string[]): Promise<void> {
  const args = ['ls-files', '-z', '--modified', '--others', '--exclude-standard', ...selected];
  const listed = await repository.run(args);
  const paths = listed.stdout.toString('latin1').split('\0').filter(Boolean);
  for (let at = 0; at < paths.length; at += pathsAtOnce) {
    const input = Buffer.from(`${paths.slice(at, at + pathsAtOnce).join('\0')}\0`, 'latin1');
    const { stdout } = await repository.run(['check-attr', '-z', '--stdin', 'filter'], { input });
    const fields = stdout.toString('utf8').split('\0');
    for (let field = 0; field + 2 < fields.length; field += 3) {
      const [path = '', , filter = ''] = fields.slice(field, field + 3);
      if (!unnamed.has(filter) && !isDefined(repository, filter)) throw withoutFilter(path, filter);
    }
  }
}

/** A filter that the repository defines is a program, so a command that stages is refused with its key. */
function isDefined({ config }: Repository, filter: string): boolean {
  return ['clean', 'process'].some((key) => config.has(`filter.${filter}.${key}`));
}

function withoutFilter(path: string, filter: string): KernelError {
  return new KernelError(
    'E_GIT_FILTER',
    `Nothing is staged: the attributes of ${quoted(path)} name the filter ${quoted(filter)}, which the repository does not define, so its ` +
      'content would be stored as it is. Leave the file out, or stage it with a git that has the filter',
    { hadNoEffect: true },
  );
}
