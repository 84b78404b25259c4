/** Kind of a segment that needs attention. */
export type DisplayMark = 'hidden' | 'invisible' | 'space' | 'lookalike' | 'artifact';

/** Part of a row. The texts of all segments of all rows, joined, are the JSON of the arguments. */
export interface DisplaySegment {
  readonly text: string;
  readonly mark?: DisplayMark;
  /** Explanation of the mark. */
  readonly note?: string;
}

const plainText = /^[ !#-[\]-~]*$/;
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800]/u;
const unusualSpace = /(?! )\p{Zs}/u;
const word = /[\p{L}\p{M}\p{N}]/u;
const scripts: Readonly<Record<string, RegExp>> = {
  Latin: /\p{Script=Latin}/u,
  Cyrillic: /\p{Script=Cyrillic}/u,
  Greek: /\p{Script=Greek}/u,
  Armenian: /\p{Script=Armenian}/u,
  Cherokee: /\p{Script=Cherokee}/u,
  Coptic: /\p{Script=Coptic}/u,
  Georgian: /\p{Script=Georgian}/u,
  Lisu: /\p{Script=Lisu}/u,
};
/** Letters of other scripts, and rare letters of the Latin one, that look like ASCII. */
const likeAscii = new Set(
  'аеорсухіјѕԁԛԝһүґӏАВЕКМНОРСТУХІЈЅԌԚԜҮαονρυικγΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳոսցօհզԁ' + 'ıɑɡʟɩꞁǀᴏ⁄∕⧸․‚٫ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓞꓟꓠꓢꓣꓤꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ',
);

/** Returns a text as the inside of a JSON string, with everything marked that is invisible or looks like something else. */
export function markText(text: string): readonly DisplaySegment[] {
  if (plainText.test(text)) return text === '' ? [] : [{ text }];
  const segments: DisplaySegment[] = [];
  const isForeign = foreignLetters(text);
  let current = '';
  const flush = (): void => {
    if (current !== '') segments.push(...markWord(current, isForeign));
    current = '';
  };
  for (const character of text) {
    if (isSafe(character) && word.test(character)) {
      current += character;
      continue;
    }
    flush();
    segments.push(markCharacter(character));
  }
  flush();
  return joined(segments);
}

function isSafe(character: string): boolean {
  return !invisible.test(character) && !unusualSpace.test(character);
}

function markCharacter(character: string): DisplaySegment {
  if (character === '\n' || character === '\t' || character === '"' || character === '\\') {
    return { text: JSON.stringify(character).slice(1, -1) };
  }
  if (invisible.test(character)) {
    return { text: escaped(character), mark: 'invisible', note: `invisible character ${codeOf(character)}` };
  }
  if (unusualSpace.test(character)) {
    return { text: escaped(character), mark: 'space', note: `unusual space ${codeOf(character)}` };
  }
  return isLikeAscii(character)
    ? lookalike(character, `${codeOf(character)} looks like another character`)
    : { text: character };
}

function markWord(text: string, isForeign: (character: string) => boolean): readonly DisplaySegment[] {
  const found = Object.keys(scripts).filter((name) => scripts[name]?.test(text));
  const characters = [...text];
  if (found.length > 1) {
    const [main = ''] = found;
    const others = characters.filter(
      (each) => word.test(each) && !/[\p{N}\p{M}]/u.test(each) && !scripts[main]?.test(each),
    );
    const codes = [...new Set(others)].slice(0, 8).map((each) => `${each} ${codeOf(each)}`);
    return [lookalike(text, `mixes ${found.join(' and ')} letters: ${codes.join(', ')}`)];
  }
  if (/[0-9]/.test(text) && /(?![0-9])\p{Nd}/u.test(text)) return [lookalike(text, 'mixes digits of several scripts')];
  if (/\p{M}{3}/u.test(text)) return [lookalike(text, 'has stacked marks')];
  const isWhole = characters.every((each) => likeAscii.has(each) || /[\p{N}\p{M}]/u.test(each));
  if (isWhole && characters.some((each) => likeAscii.has(each)) && !characters.some(isForeign)) {
    return [lookalike(text, `looks like Latin letters and is ${found[0] ?? 'not'}: ${codeOf(characters[0] ?? '')}`)];
  }
  return characters.map((each) =>
    isCompatible(each) ? lookalike(each, `${codeOf(each)} looks like ${each.normalize('NFKC')}`) : { text: each },
  );
}

/** A script counts as really used in a text if the text has a letter of it that does not look like ASCII. */
function foreignLetters(text: string): (character: string) => boolean {
  const letters = [...text].filter((each) => /\p{L}/u.test(each) && !likeAscii.has(each));
  const used = Object.entries(scripts).filter(
    ([name, script]) => name !== 'Latin' && letters.some((each) => script.test(each)),
  );
  return (character) => used.some(([, script]) => script.test(character));
}

function isLikeAscii(character: string): boolean {
  return likeAscii.has(character) || isCompatible(character);
}

function isCompatible(character: string): boolean {
  return character > '~' && /^[!-~]+$/.test(character.normalize('NFKC'));
}

function lookalike(text: string, note: string): DisplaySegment {
  return { text, mark: 'lookalike', note };
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}

function joined(segments: readonly DisplaySegment[]): readonly DisplaySegment[] {
  const result: DisplaySegment[] = [];
  for (const segment of segments) {
    const last = result.at(-1);
    if (last === undefined || last.mark !== undefined || segment.mark !== undefined) result.push(segment);
    else result[result.length - 1] = { text: last.text + segment.text };
  }
  return result;
}
