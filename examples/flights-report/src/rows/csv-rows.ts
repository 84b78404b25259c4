import type { JsonValue } from '@ravi/kernel';
import type { Row } from './row.ts';
import type { RowReader } from './row-reader.ts';

const quote = 0x22;
const lineFeed = 0x0a;
const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * Reads comma-separated values (RFC 4180) with a header line while they arrive. A field that is written like a number is
 * one; an empty field is `null`; a code such as `007` stays text.
 */
export function createCsvRowReader(): RowReader {
  let text = '';
  let position = 0;
  let isQuoted = false;
  let lastLineEnd = 0;
  let header: readonly string[] | undefined;

  function rowsOf(lines: string): readonly Row[] {
    const records = parseRecords(lines);
    header ??= records.shift();
    const columns = header ?? [];
    return records.map((record, index) => {
      if (record.length === columns.length) return rowOf(columns, record);
      throw new Error(`Row ${index + 1} of a piece has ${record.length} fields, the header has ${columns.length}`);
    });
  }

  return {
    push(piece) {
      text += piece;
      for (; position < text.length; position++) {
        const code = text.charCodeAt(position);
        // A doubled quote closes and opens again, which leaves the state as it is.
        if (code === quote) isQuoted = !isQuoted;
        else if (code === lineFeed && !isQuoted) lastLineEnd = position + 1;
      }
      const complete = text.slice(0, lastLineEnd);
      text = text.slice(lastLineEnd);
      position -= lastLineEnd;
      lastLineEnd = 0;
      return rowsOf(complete);
    },
    end() {
      if (isQuoted) throw new Error('The CSV ends inside a quoted field');
      return rowsOf(text);
    },
  };
}

const fieldPattern = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/y;

function parseRecords(lines: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  fieldPattern.lastIndex = 0;
  while (fieldPattern.lastIndex < lines.length) {
    const place = fieldPattern.lastIndex;
    const match = fieldPattern.exec(lines);
    if (match === null) throw new Error(`No CSV field: ${JSON.stringify(lines.slice(place, place + 40))}`);
    const [, quoted, plain = '', separator] = match;
    record.push(quoted?.replaceAll('""', '"') ?? plain);
    if (separator === ',') continue;
    records.push(record);
    record = [];
  }
  if (record.length > 0) records.push([...record, '']);
  return records.filter((fields) => fields.length > 1 || fields[0] !== '');
}

function rowOf(columns: readonly string[], record: readonly string[]): Row {
  return Object.fromEntries(columns.map((column, index) => [column, valueOf(record[index] ?? '')]));
}

function valueOf(field: string): JsonValue {
  if (field === '') return null;
  return plainNumber.test(field) ? Number(field) : field;
}
