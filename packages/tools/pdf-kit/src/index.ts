export { isPdf, readPdf } from './read-pdf.ts';
export type { PdfLimits, PdfPage, PdfQuestion, PdfText } from './read-pdf.ts';
