import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import { createToolContext, createTestBlobs, pdfBomb, pdfLines, pdfOf, runTool } from '@ravi/testkit';
import type { RunToolOptions, RunToolReport } from '@ravi/testkit';
import { afterAll, expect, test } from 'vitest';
import { createPdfRead, openData } from '../src/index.ts';

const base = mkdtempSync(join(tmpdir(), 'ravi-pdf-'));
const root = join(base, 'inside');
mkdirSync(join(root, 'sub'), { recursive: true });
const book = pdfOf([pdfLines('First page'), pdfLines('Second page'), pdfLines('Third page')], { title: 'A book' });
writeFileSync(join(root, 'sub', 'book.pdf'), book);
writeFileSync(join(base, 'secret.pdf'), book);
writeFileSync(join(root, 'text.pdf'), 'This is text');
writeFileSync(join(root, 'large.pdf'), Buffer.alloc(2_000_000, '%PDF-'));
writeFileSync(join(root, 'bomb.pdf'), pdfBomb(300));
const page = pdfLines(...Array.from({ length: 45 }, () => 'a line of fifty characters, more or less, of text'));
writeFileSync(join(root, 'long.pdf'), pdfOf(Array.from({ length: 40 }, () => page)));
symlinkSync(join(base, 'secret.pdf'), join(root, 'link.pdf'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const pdf = { bytes: 1_000_000, memoryMb: 220 };
const tool = createPdfRead(openData({ root, pdf, baseDir: base, clock: systemClock }));

function read(args: JsonObject, options: RunToolOptions = {}): Promise<RunToolReport> {
  const policy = { maxInlineResultBytes: 1_000_000 };
  return runTool(tool, args, { artifactStore: createTestBlobs(), policy, ...options });
}

test('pages of a file are read, and the next page is named', async () => {
  const { result, approvals } = await read({ path: 'sub/book.pdf', firstPage: 2, pages: 1 });
  expect(result.structured).toEqual({
    title: 'A book',
    pageCount: 3,
    pages: [{ number: 2, text: 'Second page' }],
    nextPage: 3,
  });
  expect(result.text).toBe('A book\n\n[page 2 of 3]\nSecond page\n\n[continue with "firstPage": 3]');
  expect(approvals).toEqual([]);
});

test('an artifact is read', async () => {
  const blobs = {
    stat: async () => undefined,
    resolve: async (ref: string) => (ref === 'blob_1' ? book : new Uint8Array()),
    open: async () => new ReadableStream<Uint8Array>(),
  };
  const result = await tool.execute({ artifact: 'blob_1' }, createToolContext({ blobs }));
  expect(result.structuredContent).toMatchObject({ pageCount: 3, title: 'A book' });
});

test('a long text becomes an artifact, and its beginning is returned', async () => {
  const artifactStore = createTestBlobs();
  const { result } = await read({ path: 'long.pdf', pages: 50 }, { artifactStore });
  expect(result.structured).toMatchObject({ pageCount: 40, artifact: 'blob_1' });
  expect(result.text).toMatch(/Only the first 60000 of \d+ characters are shown\. The whole text is artifact blob_1/);
  expect(artifactStore.text('blob_1').length).toBeGreaterThan(70_000);
});

test.each([
  ['../secret.pdf', 'E_PATH_OUTSIDE'],
  ['/etc/passwd', 'E_PATH_OUTSIDE'],
  ['link.pdf', 'E_PATH_OUTSIDE'],
  ['sub/../../secret.pdf', 'E_PATH_OUTSIDE'],
  ['sub/BOOK.pdf', 'E_FILE_NOT_FOUND'],
  ['sub', 'E_FILE_KIND'],
  ['missing.pdf', 'E_FILE_NOT_FOUND'],
  ['a\0b', 'E_ARGUMENTS_INVALID'],
  ['text.pdf', 'E_PDF_INVALID'],
  ['large.pdf', 'E_PDF_TOO_LARGE'],
  ['bomb.pdf', 'E_WORK_MEMORY'],
])('%j ends with %s', async (path, code) => {
  const { result } = await read({ path });
  expect(result.error?.code).toBe(code);
  expect(result.text).not.toContain(base);
});

test.each([
  {},
  { path: 'a', artifact: 'b' },
  { path: 5 },
  { path: '' },
  { path: 'a', firstPage: 0 },
  { path: 'a', pages: 1_000 },
  { artifact: 'x'.repeat(201) },
])('wrong arguments are refused: %#', async (args) => {
  expect((await read(args as JsonObject)).result.error?.code).toBe('E_ARGUMENTS_INVALID');
});

test('a page that the file does not have, and an artifact that there is not', async () => {
  expect((await read({ path: 'sub/book.pdf', firstPage: 9 })).result.error?.code).toBe('E_ARGUMENTS_INVALID');
  expect((await read({ artifact: 'blob_9' })).result.error?.code).toBe('E_BLOB_NOT_FOUND');
});

test('a call that is cancelled ends its process', async () => {
  await expect(read({ path: 'bomb.pdf' }, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
    code: 'E_CANCELLED',
  });
});
