import { deflateSync } from 'node:zlib';

/** Makes a PDF whose pages have these content streams. */
export function pdfOf(
  streams: readonly (string | Uint8Array)[],
  { filter = '', title = '' }: { readonly filter?: string; readonly title?: string } = {},
): Uint8Array {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  const add = (...content: readonly (string | Uint8Array)[]): void => {
    offsets.push(parts.reduce((sum, part) => sum + part.length, 0));
    parts.push(
      Buffer.from(`${offsets.length} 0 obj\n`),
      ...content.map((part) => Buffer.from(part)),
      Buffer.from('\nendobj\n'),
    );
  };
  const kids = streams.map((_stream, index) => `${4 + index * 2} 0 R`).join(' ');
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(`<< /Type /Pages /Kids [${kids}] /Count ${streams.length} >>`);
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  for (const [index, stream] of streams.entries()) {
    const page = `/Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>`;
    add(`<< /Type /Page ${page} /Contents ${5 + index * 2} 0 R >>`);
    add(`<< /Length ${Buffer.from(stream).length} ${filter} >>\nstream\n`, stream, '\nendstream');
  }
  if (title !== '') add(`<< /Title (${title}) >>`);
  const place = parts.reduce((sum, part) => sum + part.length, 0);
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = `/Size ${offsets.length + 1} /Root 1 0 R${title === '' ? '' : ` /Info ${offsets.length} 0 R`}`;
  parts.push(
    Buffer.from(`xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${table}trailer\n<< ${trailer} >>\n`),
    Buffer.from(`startxref\n${place}\n%%EOF\n`),
  );
  return Buffer.concat(parts);
}

/** Returns the content stream of a page with lines of text. */
export function pdfLines(...lines: readonly string[]): string {
  return `BT /F1 12 Tf 72 720 Td 14 TL ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
}

/** Makes a PDF of one page whose content is `megabytes` of spaces before it is compressed `layers` times. */
export function pdfBomb(megabytes: number, layers: number = 2): Uint8Array {
  let packed: Uint8Array = Buffer.alloc(megabytes * 1_000_000, ' ');
  for (let layer = 0; layer < layers; layer++) packed = deflateSync(packed, { level: 9 });
  return pdfOf([packed], { filter: `/Filter [${'/FlateDecode '.repeat(layers)}]` });
}
