type Words = readonly (string | undefined)[];

/** Returns why a command cannot be undone, as the end of the sentence "It …"; `undefined` for one that is not on the list. */
type Judge = (words: Words) => string | undefined;

const always =
  (reason: string): Judge =>
  () =>
    reason;

// Programs take the beginning of a long option for all of it.
const isShortOf = (word: string, option: string): boolean =>
  word.length > 2 && word.startsWith('--') && option.startsWith(word);

const hasFlag = (words: Words, letters: RegExp, ...long: readonly string[]): boolean =>
  words.some(
    (word) =>
      word !== undefined &&
      (long.some((name) => isShortOf(word, name)) || (/^-[A-Za-z0-9]+$/u.test(word) && letters.test(word))),
  );

const has = (words: Words, ...names: readonly string[]): boolean =>
  words.some((word) => word !== undefined && names.some((name) => word === name || isShortOf(word, name)));

const asOther = always('acts with the rights of another user');
const ofSystem = always('changes the system for every user');
const ofDisk = always('overwrites a disk or a file system');

// With a revision and paths, `git checkout` replaces the files. With a new branch, its second operand is where that begins.
const overwritesFiles = (words: Words): boolean => {
  const at = words.indexOf('checkout');
  if (at === -1 || has(words, '-b', '-B', '-t', '--orphan', '--track')) return false;
  return words.slice(at + 1).filter((word) => word?.startsWith('-') !== true).length > 1;
};

const git: Judge = (words) => {
  if (words.some((word) => word !== undefined && /^(?:(?:-c|--config-env=)?alias\.[^=]+=|!)/iu.test(word))) {
    return 'gives a command another name (alias of git)';
  }
  if (has(words, 'push')) return 'sends commits to another repository (git push)';
  if (has(words, 'reset') && has(words, '--hard')) return 'throws away changes (git reset --hard)';
  if (has(words, 'clean')) return 'deletes files that git does not know (git clean)';
  if (
    has(words, 'checkout', 'restore', 'switch') &&
    (has(words, '.', '--', '-f', '--force', '--discard-changes') || has(words, 'restore'))
  ) {
    return 'throws away changes (git checkout or restore)';
  }
  if (overwritesFiles(words)) return 'throws away changes (git checkout)';
  if (has(words, 'branch', 'tag') && hasFlag(words, /[dD]/u, '--delete')) return 'deletes a branch or tag';
  if (has(words, 'stash') && has(words, 'drop', 'clear')) return 'deletes stashed changes';
  return has(words, 'filter-branch', 'filter-repo', 'reflog', 'gc', 'prune', 'update-ref')
    ? 'rewrites or removes history'
    : undefined;
};

const publishes =
  (name: string): Judge =>
  (words) =>
    has(words, 'publish', 'unpublish', 'deprecate', 'yank', 'push', 'upload')
      ? `publishes for others to see (${name})`
      : undefined;

const deletesRemote: Judge = (words) =>
  words.some(
    (word) =>
      word !== undefined &&
      /^(?:delete|destroy|apply|rm|rmi|prune|terminate-\S+|delete-\S+|remove-\S+|rb|down|kill|drain|uninstall)$/u.test(
        word,
      ),
  )
    ? 'changes or deletes what other programs run on'
    : undefined;

const changesAll: Judge = (words) =>
  hasFlag(words, /R/u, '--recursive') ? 'changes the rights of every file in a folder' : undefined;

const judges: Readonly<Record<string, Judge>> = {
  rm: (words) =>
    hasFlag(words, /[rRf]/u, '--recursive', '--force') || words.includes(undefined)
      ? 'deletes files or folders for good (rm)'
      : undefined,
  shred: always('destroys the content of files (shred)'),
  truncate: always('cuts the content of files (truncate)'),
  find: (words) => (has(words, '-delete') ? 'deletes every file that it finds (find -delete)' : undefined),
  tee: (words) => {
    const path = words.find((word) => word !== undefined && isSystemPath(word));
    return path === undefined ? undefined : `writes to ${path.slice(0, 60)}`;
  },
  dd: (words) =>
    words.some((word) => word === undefined || word.startsWith('of='))
      ? 'overwrites what it writes to (dd)'
      : undefined,
  git,
  sudo: asOther,
  doas: asOther,
  su: asOther,
  pkexec: asOther,
  run0: asOther,
  runuser: asOther,
  chroot: ofSystem,
  nsenter: ofSystem,
  mount: ofSystem,
  umount: ofSystem,
  insmod: ofSystem,
  modprobe: ofSystem,
  rmmod: ofSystem,
  sysctl: ofSystem,
  iptables: ofSystem,
  ip6tables: ofSystem,
  nft: ofSystem,
  crontab: ofSystem,
  at: ofSystem,
  visudo: ofSystem,
  useradd: ofSystem,
  userdel: ofSystem,
  usermod: ofSystem,
  groupdel: ofSystem,
  passwd: ofSystem,
  chpasswd: ofSystem,
  setcap: ofSystem,
  shutdown: ofSystem,
  reboot: ofSystem,
  halt: ofSystem,
  poweroff: ofSystem,
  init: ofSystem,
  telinit: ofSystem,
  kexec: ofSystem,
  systemctl: ofSystem,
  service: ofSystem,
  apt: ofSystem,
  'apt-get': ofSystem,
  dpkg: ofSystem,
  yum: ofSystem,
  dnf: ofSystem,
  rpm: ofSystem,
  apk: ofSystem,
  pacman: ofSystem,
  snap: ofSystem,
  fdisk: ofDisk,
  sfdisk: ofDisk,
  parted: ofDisk,
  sgdisk: ofDisk,
  gdisk: ofDisk,
  wipefs: ofDisk,
  blkdiscard: ofDisk,
  mkswap: ofDisk,
  cryptsetup: ofDisk,
  lvremove: ofDisk,
  vgremove: ofDisk,
  pvremove: ofDisk,
  zpool: ofDisk,
  zfs: ofDisk,
  hdparm: ofDisk,
  losetup: ofDisk,
  chmod: changesAll,
  chown: changesAll,
  chgrp: changesAll,
  setfacl: changesAll,
  killall: always('ends processes by their name'),
  pkill: always('ends processes by their name'),
  kill: (words) => (has(words, '-1', '1') ? 'ends processes outside of the command' : undefined),
  npm: publishes('npm'),
  pnpm: publishes('pnpm'),
  yarn: publishes('yarn'),
  cargo: publishes('cargo'),
  gem: publishes('gem'),
  twine: publishes('twine'),
  poetry: publishes('poetry'),
  uv: publishes('uv'),
  docker: (words) => publishes('docker')(words) ?? deletesRemote(words),
  podman: (words) => publishes('podman')(words) ?? deletesRemote(words),
  gh: (words) =>
    has(words, 'delete', 'merge', 'create', 'close', 'api') ? 'changes a repository of others (gh)' : undefined,
  kubectl: deletesRemote,
  helm: deletesRemote,
  terraform: deletesRemote,
  tofu: deletesRemote,
  pulumi: deletesRemote,
  aws: deletesRemote,
  gcloud: deletesRemote,
  az: deletesRemote,
  'docker-compose': deletesRemote,
  dropdb: always('deletes a database'),
  'redis-cli': (words) =>
    words.some((word) => /^flush(?:all|db)$/iu.test(word ?? '')) ? 'deletes a database' : undefined,
  ssh: always('runs commands on another machine'),
  scp: always('sends files to another machine'),
  rsync: (words) =>
    words.some((word) => word?.startsWith('--del') === true)
      ? 'deletes files at its target (rsync --delete)'
      : undefined,
};

const sqlPrograms = new Set(['psql', 'mysql', 'mariadb', 'sqlite3', 'sqlcmd']);

/** Returns the name of a program without its folder; empty for a word that the shell expands. */
export function nameOf(word: string | undefined): string {
  return word === undefined ? '' : word.slice(word.lastIndexOf('/') + 1);
}

/** Returns true if {@link criticalReason} knows a program with the name. */
export function isJudged(name: string): boolean {
  return name.startsWith('mkfs') || sqlPrograms.has(name) || Object.hasOwn(judges, name);
}

/** Returns why a command with these words cannot be undone, for example `deletes files or folders for good (rm)`. */
export function criticalReason(words: Words): string | undefined {
  const name = nameOf(words[0]);
  if (name.startsWith('mkfs')) return ofDisk(words);
  const rest = words.slice(1);
  if (sqlPrograms.has(name) && rest.some((word) => /\b(?:drop|truncate|delete\s+from|alter)\b/iu.test(word ?? ''))) {
    return 'deletes or changes data of a database';
  }
  return Object.hasOwn(judges, name) ? judges[name]?.(rest) : undefined;
}

/** Returns a reason if a word of a command is a device. */
export function deviceReason(words: Words): string | undefined {
  const device = words.find((word) => word !== undefined && isDevice(word.replace(/^[a-z]+=/u, '')));
  return device === undefined ? undefined : `uses the device ${device.slice(0, 60)}`;
}

/** Returns true for a path of a device that is more than a source of zeros, chance or nothing. */
export function isDevice(path: string): boolean {
  return /^\/dev\/(?!(?:null|zero|full|u?random|std(?:in|out|err)|tty)$|fd\/)/u.test(path);
}

/** Returns true for a path of the system, or of a hidden file in the home folder. */
export function isSystemPath(path: string): boolean {
  return /^(?:\/(?:etc|boot|sys|proc|usr|bin|sbin|lib)\/|~\/\.)/u.test(path);
}
