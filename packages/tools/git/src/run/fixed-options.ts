/** Configuration that every call sets, so that the one of the repository does not count. */
const overrides: readonly (readonly [key: string, value: string])[] = [
  // Programs.
  ['core.fsmonitor', 'false'],
  ['core.useBuiltinFSMonitor', 'false'],
  ['core.pager', 'cat'],
  ['core.editor', ':'],
  ['core.askPass', ''],
  ['core.alternateRefsCommand', ':'],
  ['core.attributesFile', '/dev/null'],
  ['sequence.editor', ':'],
  ['credential.helper', ''],
  ['diff.external', ''],
  ['interactive.diffFilter', ''],
  ['gpg.program', 'false'],
  ['gpg.openpgp.program', 'false'],
  ['gpg.x509.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['gpg.ssh.defaultKeyCommand', 'false'],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['push.gpgSign', 'false'],
  ['log.showSignature', 'false'],
  ['merge.verifySignatures', 'false'],
  // Work after the call, and in other repositories.
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['status.submoduleSummary', 'false'],
  ['diff.submodule', 'short'],
  ['diff.ignoreSubmodules', 'dirty'],
  ['transfer.bundleURI', 'false'],
  ['protocol.allow', 'never'],
  ['protocol.ext.allow', 'never'],
  ['http.followRedirects', 'false'],
  // Files that messages would quote.
  ['blame.ignoreRevsFile', ''],
  ['commit.template', ''],
  ['diff.orderFile', '/dev/null'],
  // Behaviour on which the tools rely.
  ['core.logAllRefUpdates', 'true'],
  ['core.quotePath', 'false'],
  ['color.ui', 'false'],
  ['commit.status', 'false'],
  ['log.showRoot', 'true'],
  ['merge.autoStash', 'false'],
  ['rebase.autoStash', 'false'],
  ['rebase.autoSquash', 'false'],
  ['rebase.updateRefs', 'false'],
  ['rerere.enabled', 'false'],
  ['user.useConfigOnly', 'true'],
];

/**
 * Returns the options before the name of a command. With `hooks` the hooks of the repository run. Without `literalPaths` the command uses
 * patterns of its own, and each path of a caller needs {@link literalPath}.
 */
export function fixedOptions(hooks: boolean, literalPaths = true): readonly string[] {
  const settings = overrides.flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  return [
    '--no-pager',
    ...(literalPaths ? ['--literal-pathspecs'] : []),
    ...settings,
    ...(hooks ? [] : ['-c', 'core.hooksPath=/dev/null']),
  ];
}

/** Returns a path that is taken as it is by a command that also uses patterns. */
export function literalPath(path: string): string {
  return `:(literal)${path}`;
}

/** Options of a command that shows changes: no program of the repository formats them. */
export const plainDiff: readonly string[] = [
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--ignore-submodules=dirty',
  '--submodule=short',
  '--src-prefix=a/',
  '--dst-prefix=b/',
];

/** Options of a command of the other side of a local transport, which does not see the options of this side. */
const localSide = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.alternateRefsCommand=:',
  'gc.auto=0',
  'receive.denyCurrentBranch=refuse',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/**
 * Returns the option that names the program of the other side, in place of the one that the repository names. For a repository of this
 * machine the program works in `folder`, the private copy of its data.
 */
export function otherSide(service: 'upload-pack' | 'receive-pack', folder: string | undefined): string {
  if (folder === undefined) return `--${service}=git-${service}`;
  // A shell runs it with the path of the address after it.
  const quoted = `'${folder.replaceAll("'", String.raw`'\''`)}'`;
  return `--${service}=git ${localSide} ${service} ${quoted} && true`;
}
