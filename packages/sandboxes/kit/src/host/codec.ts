import { createRecordCodec } from '../protocol/records.ts';
import type { RecordCodec } from '../protocol/records.ts';

/** The codec of the host side. */
export const codec: RecordCodec = createRecordCodec({
  indexOf: (text, search, from) => text.indexOf(search, from),
  slice: (text, start, end) => text.slice(start, end),
});
