/** Configuration of a repository: values by key, in their order. Section and name of a key are in lower case, the part between is as written. */
export type RepositoryConfig = ReadonlyMap<string, readonly string[]>;

/** Parses the output of `git config --list -z`. */
export function readConfigList(output: string): RepositoryConfig {
  const config = new Map<string, string[]>();
  for (const entry of output.split('\0')) {
    if (entry === '') continue;
    const end = entry.indexOf('\n');
    const key = end === -1 ? entry : entry.slice(0, end);
    const values = config.get(key) ?? [];
    values.push(end === -1 ? '' : entry.slice(end + 1));
    config.set(key, values);
  }
  return config;
}

/**
 * Work for which a key of the configuration counts: `content` moves files between the work tree and the repository, `merge` combines two
 * versions of a file, `network` talks to another repository, `blame` reads a list of commits to leave out.
 */
export type GitWork = 'content' | 'merge' | 'network' | 'blame';

/** Keys that start a program, change where a command goes, or name a file that messages quote, and that no option of the command line switches off. */
const refusedKeys: readonly (readonly [work: GitWork | 'any', pattern: RegExp])[] = [
  ['any', /^include\.path$|^includeif\./],
  ['content', /^filter\..*\.(?:clean|smudge|process)$/s],
  ['merge', /^merge\..*\.driver$|^branch\..*\.mergeoptions$|^merge\.default$/s],
  // git reads the file before a later empty value would take it back.
  ['blame', /^blame\.ignorerevsfile$/],
  [
    'network',
    /^url\.|^http\.|^remote\..*\.(?:vcs|proxy|promisor|partialclonefilter)$|^core\.gitproxy$|^extensions\.partialclone$/s,
  ],
];

/** Returns the first key of a repository that `work` would obey and must not; `undefined` if there is none. */
export function refusedKey(config: RepositoryConfig, work: readonly GitWork[]): string | undefined {
  for (const [kind, pattern] of refusedKeys) {
    if (kind !== 'any' && !work.includes(kind)) continue;
    for (const key of config.keys()) if (pattern.test(key)) return key;
  }
  return undefined;
}

/** Returns settings that switch off the filters of a repository, for commands that only look at its files. */
export function filterSettings(config: RepositoryConfig): readonly (readonly [key: string, value: string])[] {
  const names = new Set<string>();
  for (const key of config.keys()) {
    const name = /^filter\.(.*)\.[^.]*$/s.exec(key)?.[1];
    if (name !== undefined) names.add(name);
  }
  return [...names].flatMap((name) => [
    [`filter.${name}.clean`, ''] as const,
    [`filter.${name}.smudge`, ''] as const,
    [`filter.${name}.process`, ''] as const,
    [`filter.${name}.required`, 'false'] as const,
  ]);
}
