/** Words that do not help to tell tools apart. */
const stopWords = new Set(
  (
    'a an and any are as at be been but by can could did do does for from had has have how i if in into is it its me my ' +
    'of on or our please should so some that the their them then there these they this those to was we were what when ' +
    'where which who why will with would you your'
  ).split(' '),
);

/** Synonyms in descriptions of tools; a group counts as its first word. */
const sameMeaning: ReadonlyMap<string, string> = new Map(
  [
    'get fetch retrieve obtain read show view lookup display',
    'list all every enumerate',
    'create add new make insert generate build',
    'delete remove erase drop',
    'update edit modify change alter set',
    'search find query discover locate',
    'send post deliver submit',
    'run execute launch invoke evaluate perform',
    'start boot begin open',
    'stop cancel abort halt terminate kill',
    'capture record sniff',
    'click tap press touch',
    'save store persist',
    'check verify validate',
    'convert transform turn translate',
    'comment remark review feedback',
    'repository repo',
    'document doc docx',
    'image picture photo screenshot',
    'company firm business corporation',
    'directory folder',
    'presentation powerpoint ppt pptx deck',
    'spreadsheet excel xlsx workbook',
    'stock share equity',
    'kubernetes k8s',
    'javascript js',
    'typescript ts',
    'python py',
    'application app',
    'database db',
    'configuration config settings',
    'environment env',
    'package library module',
    'organization organisation org',
    'user account member person people',
    'event meeting appointment',
    'website site webpage page url',
    'audio sound music song',
    'error bug issue problem failure',
    'phone mobile smartphone',
    'place location position coordinates',
    'blockchain chain',
    'cryptocurrency crypto coin token',
    'current now latest live',
    'message mail email',
  ].flatMap((group) => {
    const [first = '', ...others] = group.split(' ').map(stem);
    return others.map((other) => [other, first] as const);
  }),
);

/**
 * Returns the words of a text in lower case: split at everything except letters and digits. A `camelCase` word is
 * returned whole and in parts, because `GitHub` is one word and `getIssue` two. Text in scripts without spaces between
 * words is returned as pairs of characters.
 */
export function wordsOf(text: string): readonly string[] {
  const runs = text.normalize('NFKC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return runs.flatMap((run) => {
    const parts = run.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
    const words = parts.length === 1 ? parts : [...parts, run];
    return words.flatMap((word) => (unspaced.test(word) ? pairsOf(word) : [word.toLowerCase()]));
  });
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function pairsOf(word: string): readonly string[] {
  const characters = [...word];
  if (characters.length === 1) return [word];
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/**
 * Returns the term under which a word is indexed: its stem without accents, or that of its synonyms. `undefined` for a
 * stop word.
 */
export function termOf(word: string): string | undefined {
  if (stopWords.has(word)) return undefined;
  const term = stem(withoutAccents(word));
  return sameMeaning.get(term) ?? term;
}

// `Pokémon` is found by `pokemon`. Marks outside this block belong to the letters of other scripts and stay.
function withoutAccents(word: string): string {
  return word
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}

// Removes the most common English endings: just enough that `listing` finds `lists`.
function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const singular = word.endsWith('ies')
    ? `${word.slice(0, -3)}y`
    : word.replace(/(?<=ss|sh|ch|x|z)es$|(?<![su])s$/, '');
  const base = singular.length > 5 ? singular.replace(/(?:ing|ed)$/, '') : singular;
  return base.replace(/([^aeiouls])\1$/, '$1').replace(/(?<=..)e$/, '');
}
