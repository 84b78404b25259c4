import { readPdf } from '@ravi/pdf-kit';
import type { PdfLimits } from '@ravi/pdf-kit';
import { visibleText } from '@ravi/support';
import { htmlToMarkdown } from '../markdown/html-to-markdown.ts';
import { decodeText } from './decode-text.ts';
import { kindOf, mediaTypeOf } from './page-kind.ts';

/** A response as it was received. */
export interface ReceivedPage {
  /** Address after redirects. */
  readonly url: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** Text of a response; `text` is absent for a file that has none. */
export interface ReadPage {
  readonly mediaType: string;
  readonly title?: string;
  readonly text?: string;
  /** Reason why the text is not all of the page. */
  readonly note?: string;
}

/** Options of {@link readPage}. */
export interface ReadPageOptions extends PdfLimits {
  /** True to leave HTML as it is. */
  readonly isRaw: boolean;
}

const maxChars = 5_000_000;
const maxPages = 2_000;

/**
 * Returns the text of a response: HTML as Markdown, PDF as text by page, other text as it is but for invisible characters.
 * @throws KernelError of `readPdf`, the reason of `signal`
 */
export async function readPage(page: ReceivedPage, { isRaw, ...limits }: ReadPageOptions): Promise<ReadPage> {
  const mediaType = mediaTypeOf(page.contentType);
  const kind = kindOf(mediaType, page.bytes);
  if (kind === 'file') return { mediaType: mediaType || 'application/octet-stream' };
  if (kind === 'pdf') return readPdfPage(page.bytes, limits);
  const text = decodeText(page.bytes, page.contentType);
  if (kind === 'text' || isRaw) {
    return { mediaType: mediaType || (kind === 'html' ? 'text/html' : 'text/plain'), ...cut(visibleText(text)) };
  }
  const { signal } = limits;
  const html = await htmlToMarkdown(text, { baseUrl: page.url, maxChars, signal });
  return {
    mediaType: 'text/html',
    text: visibleText(html.text),
    ...(html.title === '' ? {} : { title: visibleText(html.title) }),
    ...(html.isComplete ? {} : { note: tooLong }),
  };
}

const tooLong = `The page is longer than ${maxChars} characters. The rest was left out.`;

function cut(text: string): Pick<ReadPage, 'text' | 'note'> {
  return text.length <= maxChars ? { text } : { text: text.slice(0, maxChars), note: tooLong };
}

async function readPdfPage(bytes: Uint8Array, limits: PdfLimits): Promise<ReadPage> {
  const { title, pages, pageCount, isComplete } = await readPdf({ bytes, firstPage: 1, maxPages, maxChars }, limits);
  const isAll = isComplete && pages.length === pageCount;
  return {
    mediaType: 'application/pdf',
    text: visibleText(pages.map(({ number, text }) => `[page ${number} of ${pageCount}]\n${text}`).join('\n\n')),
    ...(title === undefined ? {} : { title: visibleText(title) }),
    ...(isAll ? {} : { note: tooLong }),
  };
}
