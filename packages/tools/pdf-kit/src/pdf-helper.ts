import { answerBounded, WorkError } from '@ravi/tools-kit/bounded';
import { getDocumentProxy } from 'unpdf';
import type { PdfPage, PdfQuestion, PdfText } from './read-pdf.ts';

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

answerBounded(async ({ bytes, firstPage, maxPages, maxChars }: PdfQuestion): Promise<PdfText> => {
  const document = await open(bytes);
  const { numPages: pageCount } = document;
  if (firstPage > pageCount) {
    throw new WorkError('E_ARGUMENTS_INVALID', `The PDF has ${pageCount} pages, so there is no page ${firstPage}`);
  }
  const pages: PdfPage[] = [];
  let chars = 0;
  let isComplete = true;
  for (let number = firstPage; number <= pageCount && pages.length < maxPages && chars < maxChars; number++) {
    const text = await textOf(document, number);
    isComplete &&= chars + text.length <= maxChars;
    pages.push({ number, text: text.slice(0, maxChars - chars) });
    chars += text.length;
  }
  const title = await titleOf(document);
  return { pageCount, pages, isComplete, ...(title === undefined ? {} : { title }) };
});

async function open(bytes: Uint8Array): Promise<PdfDocument> {
  try {
    // A Buffer is refused.
    return await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') {
      throw new WorkError('E_PDF_ENCRYPTED', 'The PDF needs a password');
    }
    throw new WorkError('E_PDF_INVALID', 'The content is not a PDF that can be read');
  }
}

async function textOf(document: PdfDocument, number: number): Promise<string> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    return items
      .map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : ''))
      .join('')
      .trim();
  } catch (error) {
    throw new WorkError(
      'E_PDF_INVALID',
      `Page ${number} cannot be read: ${error instanceof Error ? error.message : ''}`,
    );
  }
}

async function titleOf(document: PdfDocument): Promise<string | undefined> {
  try {
    const { info } = await document.getMetadata();
    const title = (info as { readonly Title?: unknown }).Title;
    return typeof title === 'string' && title.trim() !== '' ? title.trim().slice(0, 200) : undefined;
  } catch {
    // A PDF without readable metadata has no title.
    return undefined;
  }
}
