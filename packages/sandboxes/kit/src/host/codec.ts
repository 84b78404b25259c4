import { createRecordCodec } from '../protocol/records.ts';
import type { RecordCodec } from '../protocol/records.ts';

/** The codec of the host side. */
export const codec: RecordCodec = createRecordCodec({
  charCodeAt: (text, index) => text.charCodeAt(index),
  slice: (text, start, end) => text.slice(start, end),
});
