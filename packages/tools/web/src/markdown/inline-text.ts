/** Characters of a link text; a longer one is not a link but a tag without an end. */
const maxLinkChars = 2_000;
const maxMarks = 16;

interface Mark {
  readonly tag: string;
  /** Place in the pieces where its text begins. */
  readonly from: number;
}

const wrappers: Readonly<Record<string, string>> = {
  b: '**',
  strong: '**',
  i: '*',
  em: '*',
  s: '~~',
  del: '~~',
  strike: '~~',
};

/** Text of one paragraph, heading or cell, with its links, emphasis and code. */
export class InlineText {
  #pieces: string[] = [];
  #marks: Mark[] = [];
  #link: { readonly from: number; readonly url: string } | undefined;
  #linkChars = 0;

  /** True inside a link, whose text is kept on one line. */
  get isLink(): boolean {
    return this.#link !== undefined;
  }

  text(text: string): void {
    const isCode = this.#marks.at(-1)?.tag === 'code';
    this.#add(isCode ? text.replaceAll('\n', ' ') : text.replaceAll(/[ \t\r\n\f]+/g, ' '));
  }

  space(): void {
    this.#add(' ');
  }

  lineBreak(): void {
    this.#add(this.isLink ? ' ' : '\n');
  }

  image(alt: string, url: string): void {
    this.#add(`![${linkText(alt)}](${url})`);
  }

  /** Begins emphasis or code. */
  open(tag: string): void {
    if (this.#marks.length < maxMarks) this.#marks.push({ tag, from: this.#pieces.length });
  }

  close(tag: string): void {
    const index = this.#marks.findLastIndex((mark) => mark.tag === tag);
    if (index === -1) return;
    for (const mark of this.#marks.splice(index).toReversed()) this.#wrap(mark);
  }

  openLink(url: string): void {
    this.closeLink();
    this.#link = { from: this.#pieces.length, url };
    this.#linkChars = 0;
  }

  closeLink(): void {
    const link = this.#link;
    if (link === undefined) return;
    this.#link = undefined;
    // Marks inside the link end with it.
    for (const mark of this.#marks.filter(({ from }) => from >= link.from).toReversed()) this.close(mark.tag);
    const text = tidy(this.#pieces.splice(link.from).join(''));
    if (text !== '') this.#pieces.push(`[${linkText(text)}](${link.url})`);
  }

  /** Ends the text and returns it, without spaces around its lines. */
  take(): string {
    this.closeLink();
    if (this.#pieces.length === 0 && this.#marks.length === 0) return '';
    for (const mark of this.#marks.splice(0).toReversed()) this.#wrap(mark);
    const text = tidy(this.#pieces.join(''));
    this.#pieces = [];
    return text;
  }

  #add(piece: string): void {
    this.#pieces.push(piece);
    if (this.#link === undefined) return;
    this.#linkChars += piece.length;
    if (this.#linkChars > maxLinkChars) this.#link = undefined;
  }

  #wrap({ tag, from }: Mark): void {
    if (from > this.#pieces.length) return;
    const text = this.#pieces.splice(from).join('');
    const trimmed = text.trim();
    const sign = tag === 'code' ? codeFence(trimmed) : (wrappers[tag] ?? '');
    // A line break or nothing inside would make the signs part of the text.
    if (trimmed === '' || trimmed.includes('\n')) this.#pieces.push(text);
    else this.#pieces.push(text.startsWith(' ') ? ' ' : '', `${sign}${trimmed}${sign}`, text.endsWith(' ') ? ' ' : '');
  }
}

/** Returns a run of backticks that is longer than any in the text, with at least `least`. */
export function codeFence(text: string, least: number = 1): string {
  let longest = least - 1;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return '`'.repeat(Math.min(longest + 1, 100));
}

function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' ').trim());
  return lines.join('\n').trim();
}

function linkText(text: string): string {
  return text.replaceAll('\n', ' ').replaceAll(/[[\]]/g, '\\$&');
}
