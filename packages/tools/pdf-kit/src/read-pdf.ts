import { KernelError } from '@ravi/kernel';
import type { Clock } from '@ravi/kernel';
import { runBounded } from '@ravi/tools-kit';

/** Text of one page. */
export interface PdfPage {
  /** From 1. */
  readonly number: number;
  /** Lines of the page. Empty for a page without text, such as a scanned one. */
  readonly text: string;
}

/** Text of some pages of a PDF. */
export interface PdfText {
  readonly title?: string;
  /** Number of all pages of the file. */
  readonly pageCount: number;
  readonly pages: readonly PdfPage[];
  /** False if the text of the last page of `pages` was cut at the maximum of characters. */
  readonly isComplete: boolean;
}

/** Question of {@link readPdf}. */
export interface PdfQuestion {
  readonly bytes: Uint8Array;
  /** From 1. */
  readonly firstPage: number;
  readonly maxPages: number;
  /** Characters of all pages together. */
  readonly maxChars: number;
}

/** Limits of {@link readPdf}. */
export interface PdfLimits {
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** Megabytes of memory of the process that reads. */
  readonly memoryMb: number;
  readonly clock: Clock;
  /** Principal of the call. */
  readonly principal: string;
  readonly signal: AbortSignal;
}

/** Bytes at the beginning of a file among which its mark may be. */
const headBytes = 1_024;

/** Returns true for content that claims to be a PDF. */
export function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, headBytes)).includes('%PDF-');
}

/**
 * Reads the text of a PDF in a process of its own, so that a file that others wrote cannot take more time and memory than it may.
 * @throws KernelError `E_PDF_INVALID`, `E_PDF_ENCRYPTED`, `E_ARGUMENTS_INVALID` for a first page that the file does not have,
 * `E_WORK_BUSY`, `E_WORK_TIMEOUT`, `E_WORK_MEMORY`, `E_WORK_FAILED`, `E_CANCELLED`
 */
export async function readPdf(question: PdfQuestion, limits: PdfLimits): Promise<PdfText> {
  if (!isPdf(question.bytes)) throw new KernelError('E_PDF_INVALID', 'The content is not a PDF that can be read');
  return runBounded({ name: 'pdf-helper', from: import.meta.url, what: 'Reading the PDF', ...limits }, question);
}
