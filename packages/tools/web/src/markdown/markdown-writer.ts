import { codeFence, InlineText } from './inline-text.ts';
import type { TagHandler } from './read-tags.ts';
import { Table } from './table.ts';
import {
  containerTags,
  endsByItself,
  inlineTags,
  isHidden,
  isInLine,
  plainTags,
  skippedTags,
  voidTags,
} from './tag-kinds.ts';

const maxContainers = 12;

interface Container {
  readonly tag: string;
  /** Number of the next item of an ordered list. */
  next: number;
  /** Text before the first line of an item; its other lines are indented as far. */
  marker: string;
  isMarked: boolean;
}

/** Options of {@link MarkdownWriter}. */
export interface MarkdownWriterOptions {
  /** Address of the page, for its links. */
  readonly baseUrl: string;
  /** Characters after which the writer takes no more. */
  readonly maxChars: number;
}

/** Writes Markdown of the tags and texts of a page. Its memory is bounded by the text, however the tags are nested. */
export class MarkdownWriter implements TagHandler {
  readonly #options: MarkdownWriterOptions;
  readonly #inline = new InlineText();
  readonly #containers: Container[] = [];
  readonly #output: string[] = [];
  #baseUrl: string;
  #chars = 0;
  #title = '';
  #isTitle = false;
  #heading = 0;
  #isAfterItem = false;
  #pre: { text: string[]; language: string } | undefined;
  #table: Table | undefined;
  #skipped: { readonly tag: string; depth: number } | undefined;
  /** Lists and quotations that are nested too deeply to show. */
  #deeper = 0;

  constructor(options: MarkdownWriterOptions) {
    this.#options = options;
    this.#baseUrl = options.baseUrl;
  }

  /** True once the text has its maximum of characters. */
  get isFull(): boolean {
    return this.#chars >= this.#options.maxChars;
  }

  get title(): string {
    return this.#title.replaceAll(/\s+/g, ' ').trim();
  }

  /** Ends the document and returns its text. */
  end(): string {
    this.#inline.closeLink();
    this.#endTable();
    this.#endBlock();
    return this.#output.join('').slice(0, this.#options.maxChars);
  }

  open(tag: string, attributes: ReadonlyMap<string, string>): void {
    this.#endHiddenParagraph(tag);
    const skipped = this.#skipped;
    if (skipped !== undefined) {
      if (skipped.tag === tag) skipped.depth++;
    } else if (skippedTags.has(tag) || (isHidden(attributes) && !endsByItself.has(tag) && !voidTags.has(tag))) {
      this.#skipped = { tag, depth: 1 };
    } else if (tag === 'title') {
      this.#isTitle = this.#title === '';
    } else if (this.#pre !== undefined) {
      if (tag === 'code') this.#pre.language ||= languageOf(attributes);
      else if (tag === 'br') this.#pre.text.push('\n');
    } else {
      this.#openShown(tag, attributes);
    }
  }

  close(tag: string): void {
    this.#endHiddenParagraph(tag);
    const skipped = this.#skipped;
    if (skipped !== undefined) {
      if (skipped.tag === tag && --skipped.depth === 0) this.#skipped = undefined;
    } else if (tag === 'title') {
      this.#isTitle = false;
    } else if (this.#pre !== undefined) {
      if (tag === 'pre') this.#endPre();
    } else if (tag === 'a') {
      this.#inline.closeLink();
    } else if (inlineTags.has(tag)) {
      this.#inline.close(tag);
    } else if (tag === 'table') {
      if (this.#table !== undefined && this.#table.depth > 0) this.#table.depth--;
      else this.#endTable();
    } else if (tag === 'td' || tag === 'th') {
      this.#endCell();
    } else if (containerTags.has(tag)) {
      this.#endBlock();
      this.#closeContainer(tag);
    } else if (!voidTags.has(tag) && !plainTags.has(tag)) {
      this.#endBlock();
    }
  }

  text(text: string): void {
    if (this.#skipped !== undefined || this.isFull) return;
    if (this.#isTitle) {
      if (this.#title.length < 500) this.#title += text.slice(0, 500);
      return;
    }
    // Text that is not shown yet counts too, so that a paragraph without an end is bounded.
    this.#chars += text.length;
    if (this.#pre === undefined) this.#inline.text(text);
    else this.#pre.text.push(text);
  }

  /** A block, or the end of one around it, ends a paragraph. */
  #endHiddenParagraph(tag: string): void {
    if (this.#skipped?.tag === 'p' && !isInLine(tag)) this.#skipped = undefined;
  }

  #openShown(tag: string, attributes: ReadonlyMap<string, string>): void {
    if (inlineTags.has(tag)) return this.#inline.open(tag);
    if (plainTags.has(tag)) return;
    switch (tag) {
      case 'base':
        this.#baseUrl = this.#address(attributes.get('href')) ?? this.#baseUrl;
        return;
      case 'a': {
        const url = this.#address(attributes.get('href'));
        if (url === undefined) return this.#inline.closeLink();
        this.#chars += url.length;
        return this.#inline.openLink(url);
      }
      case 'img': {
        const url = this.#address(attributes.get('src'));
        const alt = (attributes.get('alt') ?? '').trim();
        if (url === undefined || alt === '' || this.isFull) return;
        this.#chars += url.length + alt.length;
        return this.#inline.image(alt, url);
      }
      case 'br':
        return this.#inline.lineBreak();
      case 'table':
        return this.#openTable();
      case 'tr':
        this.#endCell();
        return this.#table?.depth === 0 ? this.#table.row() : undefined;
      case 'td':
      case 'th':
        this.#endCell();
        if (this.#table?.depth === 0) this.#table.isCell = true;
        return;
      default:
        return this.#openBlock(tag, attributes);
    }
  }

  #openBlock(tag: string, attributes: ReadonlyMap<string, string>): void {
    this.#endBlock();
    if (this.#table !== undefined || this.#inline.isLink) return;
    if (/^h[1-6]$/.test(tag)) this.#heading = Number(tag[1]);
    else if (tag === 'hr') this.#write('---');
    else if (tag === 'pre') this.#pre = { text: [], language: languageOf(attributes) };
    else if (containerTags.has(tag)) this.#openContainer(tag);
  }

  #openContainer(tag: string): void {
    if (tag === 'li') this.#closeContainer('li', ['ul', 'ol']);
    if (this.#containers.length >= maxContainers) {
      this.#deeper++;
      return;
    }
    const list = this.#containers.at(-1);
    const marker = tag === 'blockquote' ? '> ' : tag === 'li' && list?.tag === 'ol' ? `${list.next++}. ` : '- ';
    this.#containers.push({ tag, next: 1, marker, isMarked: false });
  }

  /** Closes the innermost container of this kind, if none of `barriers` is inside it. */
  #closeContainer(tag: string, barriers: readonly string[] = []): void {
    if (this.#deeper > 0 && barriers.length === 0) {
      this.#deeper--;
      return;
    }
    const index = this.#containers.findLastIndex(
      (container) => container.tag === tag || barriers.includes(container.tag),
    );
    if (index !== -1 && this.#containers[index]?.tag === tag) this.#containers.length = index;
  }

  #openTable(): void {
    if (this.#table !== undefined) {
      this.#table.depth++;
      return;
    }
    this.#endBlock();
    this.#table = new Table();
  }

  #endTable(): void {
    const table = this.#table;
    if (table === undefined) return;
    this.#inline.closeLink();
    table.depth = 0;
    this.#endCell();
    this.#table = undefined;
    for (const block of table.blocks()) this.#write(block);
  }

  #endPre(): void {
    const pre = this.#pre;
    if (pre === undefined) return;
    this.#pre = undefined;
    const text = pre.text.join('').replace(/^\n/, '').trimEnd();
    const fence = codeFence(text, 3);
    if (text !== '') this.#write(`${fence}${pre.language}\n${text}\n${fence}`);
  }

  #endCell(): void {
    if (this.#table?.depth === 0 && this.#table.isCell) this.#table.endCell(this.#inline.take());
    else this.#endBlock();
  }

  #endBlock(): void {
    if (this.#pre !== undefined) this.#endPre();
    // A link and a cell hold their blocks on one line.
    if (this.#inline.isLink || this.#table?.isCell === true) return this.#inline.space();
    const text = this.#inline.take();
    const heading = this.#heading;
    this.#heading = 0;
    if (text !== '') this.#write(heading === 0 ? text : `${'#'.repeat(heading)} ${text.replaceAll('\n', ' ')}`);
  }

  #write(block: string): void {
    let first = '';
    let rest = '';
    let isItem = false;
    for (const container of this.#containers) {
      if (container.tag === 'ul' || container.tag === 'ol') continue;
      const indent = container.tag === 'blockquote' ? '> ' : ' '.repeat(container.marker.length);
      first += container.isMarked ? indent : container.marker;
      rest += indent;
      isItem = container.tag === 'li' && !container.isMarked;
      container.isMarked = true;
    }
    // Items follow each other without an empty line.
    const gap = this.#output.length === 0 ? '' : isItem && this.#isAfterItem ? '\n' : '\n\n';
    this.#isAfterItem = isItem;
    this.#output.push(gap, rest === '' ? block : first + block.replaceAll('\n', `\n${rest}`));
    this.#chars += first.length;
  }

  #address(link: string | undefined): string | undefined {
    if (link === undefined || !URL.canParse(link, this.#baseUrl)) return undefined;
    const { protocol, href } = new URL(link, this.#baseUrl);
    if (protocol !== 'https:' && protocol !== 'http:') return undefined;
    return href.replaceAll('(', '%28').replaceAll(')', '%29');
  }
}

function languageOf(attributes: ReadonlyMap<string, string>): string {
  return /(?:^|\s)lang(?:uage)?-([A-Za-z0-9+#-]{1,20})(?:\s|$)/.exec(attributes.get('class') ?? '')?.[1] ?? '';
}
