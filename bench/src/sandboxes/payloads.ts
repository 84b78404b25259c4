/** A realistic table row of about 100 bytes of JSON. */
export interface PayloadRow {
  readonly id: number;
  readonly customer: string;
  readonly region: string;
  readonly amount: number;
  readonly paid: boolean;
}

const line = '2026-03-14 09:26:53 info request answered by node seven in twelve milliseconds\n';
const bytesPerRow = 100;

/** Returns JavaScript that creates about `bytes` of text with line breaks, in a guest and here. */
export function textSource(bytes: number): string {
  return `${JSON.stringify(line)}.repeat(${Math.floor(bytes / line.length)})`;
}

/** Returns JavaScript that creates rows of about `bytes` of JSON. */
export function rowsSource(bytes: number): string {
  const row = "{ id, customer: 'customer number ' + id, region: 'north-west', amount: id * 1.25, paid: id % 2 === 0 }";
  return `Array.from({ length: ${rowCount(bytes)} }, (_, id) => (${row}))`;
}

/** Returns the text of {@link textSource}. */
export function textOf(bytes: number): string {
  return line.repeat(Math.floor(bytes / line.length));
}

/** Returns the rows of {@link rowsSource}. */
export function rowsOfBytes(bytes: number): readonly PayloadRow[] {
  return Array.from({ length: rowCount(bytes) }, (_, id) => ({
    id,
    customer: `customer number ${id}`,
    region: 'north-west',
    amount: id * 1.25,
    paid: id % 2 === 0,
  }));
}

/** Returns the number of rows that make `bytes` of JSON. */
export function rowCount(bytes: number): number {
  return Math.floor(bytes / bytesPerRow);
}
