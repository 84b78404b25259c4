import { systemClock } from '@ravi/kernel';
import { pdfBomb, pdfLines, pdfOf } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { isPdf, readPdf } from '../src/index.ts';
import type { PdfQuestion, PdfText } from '../src/index.ts';

const book = pdfOf([pdfLines('First page', 'second line'), pdfLines('Middle'), pdfLines('Last page')], {
  title: 'A book',
});

function read(bytes: Uint8Array, question: Partial<PdfQuestion> = {}, memoryMb = 400): Promise<PdfText> {
  const { signal } = new AbortController();
  const limits = { timeoutMs: 30_000, memoryMb, clock: systemClock, principal: 'ada', signal };
  return readPdf({ bytes, firstPage: 1, maxPages: 10, maxChars: 100_000, ...question }, limits);
}

test('reads lines by page, with the title', async () => {
  expect(await read(book)).toEqual({
    title: 'A book',
    pageCount: 3,
    pages: [
      { number: 1, text: 'First page\nsecond line' },
      { number: 2, text: 'Middle' },
      { number: 3, text: 'Last page' },
    ],
    isComplete: true,
  });
});

test('reads the pages that are asked for, up to the maximum of characters', async () => {
  expect((await read(book, { firstPage: 2, maxPages: 1 })).pages).toEqual([{ number: 2, text: 'Middle' }]);
  expect(await read(book, { maxChars: 5 })).toMatchObject({ pages: [{ number: 1, text: 'First' }], isComplete: false });
  await expect(read(book, { firstPage: 4 })).rejects.toMatchObject({ code: 'E_ARGUMENTS_INVALID' });
});

test.each([
  ['text', Buffer.from('hello')],
  ['nothing', new Uint8Array()],
  ['only the mark', Buffer.from('%PDF-1.7\n')],
  ['the half of a file', book.subarray(0, 40)],
  [
    'bytes at random',
    Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.from(Array.from({ length: 5_000 }, (_v, i) => (i * 7919) % 251))]),
  ],
])('refuses %s', async (_name, bytes) => {
  await expect(read(bytes)).rejects.toMatchObject({ code: 'E_PDF_INVALID' });
});

test('knows a PDF by its mark', () => {
  expect([isPdf(book), isPdf(Buffer.from('\n\n%PDF-1.4')), isPdf(Buffer.from('PDF'))]).toEqual([true, true, false]);
});

test('a page that unpacks to more than the memory ends the reading process, not this one', async () => {
  const bomb = pdfBomb(400);
  expect(bomb.length).toBeLessThan(20_000);
  await expect(read(bomb, {}, 200)).rejects.toMatchObject({ code: 'E_WORK_MEMORY' });
});
