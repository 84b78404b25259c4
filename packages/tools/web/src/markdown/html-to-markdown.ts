import { setImmediate } from 'node:timers/promises';
import { MarkdownWriter } from './markdown-writer.ts';
import type { MarkdownWriterOptions } from './markdown-writer.ts';
import { createTagReader } from './read-tags.ts';

/** Options of {@link htmlToMarkdown}. */
export interface HtmlOptions extends MarkdownWriterOptions {
  /** Ends the work. */
  readonly signal: AbortSignal;
}

/** Markdown of a page. */
export interface MarkdownPage {
  /** Empty if the page has none. */
  readonly title: string;
  readonly text: string;
  /** False if the text was cut at the maximum of characters. */
  readonly isComplete: boolean;
}

/** Characters that are read before other work gets its turn. */
const pieceChars = 65_536;

/**
 * Converts HTML to Markdown. Scripts, styles, forms and elements that are not shown are left out. Time and memory grow with the length of
 * the page only, and other work of the process runs in between.
 * @throws the reason of `signal`
 */
export async function htmlToMarkdown(html: string, { signal, ...options }: HtmlOptions): Promise<MarkdownPage> {
  const writer = new MarkdownWriter(options);
  const read = createTagReader(html, writer);
  for (let place = 0; place < html.length && !writer.isFull;) {
    place = read(place, pieceChars);
    await setImmediate();
    signal.throwIfAborted();
  }
  const isComplete = !writer.isFull;
  return { title: writer.title, text: writer.end(), isComplete };
}
