/** Form of the options and operands with which a command only reads. */
interface ReadOnlyCommand {
  /** Letters of options without a value. */
  readonly flags?: string;
  /** Letters of options with a value. */
  readonly valued?: string;
  /** Long options without a value. */
  readonly long?: readonly string[];
  /** `paths`: operands are files to read. `texts`: they are only text. `pattern`: a text, then files. Default: none are allowed. */
  readonly operands?: 'paths' | 'texts' | 'pattern';
  readonly maxOperands?: number;
}

const sums: ReadOnlyCommand = { flags: 'bt', operands: 'paths' };

// An option that writes a file, starts a program, follows links or takes files from a list is not here: `sort -o`, `grep -f`, `ls -L`.
const commands: Readonly<Record<string, ReadOnlyCommand>> = {
  pwd: { flags: 'LP' },
  true: {},
  false: {},
  whoami: {},
  id: { flags: 'ugnG' },
  uname: { flags: 'asnrvmpio' },
  echo: { flags: 'neE', operands: 'texts' },
  ls: {
    flags: 'aAlhtrSRFdpsi1Cxmngo',
    long: ['--all', '--almost-all', '--human-readable', '--recursive', '--directory'],
    operands: 'paths',
  },
  cat: { flags: 'nbAsETv', operands: 'paths' },
  head: { flags: 'qv', valued: 'nc', operands: 'paths' },
  tail: { flags: 'qv', valued: 'nc', operands: 'paths' },
  wc: { flags: 'lwcmL', operands: 'paths' },
  grep: { flags: 'nivclLwxoEFrhHsqPa', valued: 'ABCm', operands: 'pattern' },
  sort: { flags: 'nrufhVbdcs', valued: 'kt', operands: 'paths' },
  // A second operand is where it writes.
  uniq: { flags: 'cdui', operands: 'paths', maxOperands: 1 },
  cut: { flags: 's', valued: 'dfcb', operands: 'paths' },
  tr: { flags: 'dsc', operands: 'texts' },
  nl: { flags: 'b', operands: 'paths' },
  basename: { operands: 'texts' },
  dirname: { operands: 'texts' },
  seq: { operands: 'texts' },
  stat: { operands: 'paths' },
  file: { flags: 'bi', operands: 'paths' },
  du: { flags: 'shac', valued: 'd', operands: 'paths' },
  cmp: { flags: 'sl', operands: 'paths' },
  comm: { flags: '123', operands: 'paths' },
  md5sum: sums,
  sha1sum: sums,
  sha256sum: sums,
  sha512sum: sums,
};

/**
 * Returns the files that a command reads if it is one that changes nothing, with options that are known to change nothing. `undefined` for
 * every other command: an unknown option may write a file or start a program.
 */
export function readsOf([name = '', ...rest]: readonly string[]): readonly string[] | undefined {
  if (!Object.hasOwn(commands, name)) return undefined;
  const { flags = '', valued = '', long = [], operands, maxOperands = Infinity } = commands[name] as ReadOnlyCommand;
  const found: string[] = [];
  let isAfterOptions = false;
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] as string;
    if (isAfterOptions || word === '-' || !word.startsWith('-')) found.push(word);
    else if (word === '--') isAfterOptions = true;
    else if (/^-\d+$/u.test(word) && valued.includes('n')) continue;
    else if (word.startsWith('--')) {
      if (!long.includes(word)) return undefined;
    } else if (valued.includes(word.charAt(1))) {
      // `-n 5`, or `-n5`.
      if (word.length === 2) at += 1;
    } else if (
      word
        .slice(1)
        .split('')
        .some((letter) => !flags.includes(letter))
    )
      return undefined;
  }
  if (operands === undefined && found.length > 0) return undefined;
  if (found.length > maxOperands) return undefined;
  if (operands === 'texts') return [];
  return operands === 'pattern' ? found.slice(1) : found;
}
