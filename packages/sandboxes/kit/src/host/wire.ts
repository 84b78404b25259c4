import type { SandboxRequest } from '@ravi/kernel';
import type { BoundedRequest } from './bounded-request.ts';
import { createRecordCodec, readRecordFields } from '../protocol/records.ts';
import type { RecordCodec, RecordReader } from '../protocol/records.ts';

/** The codec of the host side. */
export const codec: RecordCodec = createRecordCodec({
  indexOf: (text, search, from) => text.indexOf(search, from),
  slice: (text, start, end) => text.slice(start, end),
});

/** Number of fields of each kind of record of a guest. */
const fieldCounts: ReadonlyMap<string, number> = new Map([
  // Activity of a run: a call (id, operation, payload), a console line (level, text), bytes dropped, wake after (ms).
  ['c', 3],
  ['l', 2],
  ['d', 1],
  ['t', 1],
  // End of a run: undefined, a value, an error (name, message, code, line, column), nothing to wait for, a limit (name,
  // reached), a fault of the guest's runtime.
  ['u', 0],
  ['r', 1],
  ['x', 5],
  ['b', 0],
  ['k', 2],
  ['z', 1],
]);

/** Returns the fields of the record whose kind was just read; `undefined` for an unknown kind or a malformed record. */
export function readFields(kind: string, reader: RecordReader): readonly string[] | undefined {
  const count = fieldCounts.get(kind);
  return count === undefined ? undefined : readRecordFields(reader, count);
}

/** Returns the frame that makes a guest prepare for runs like `request`. */
export function rehearsalFrame({ limits, prelude }: SandboxRequest): string {
  return codec.encode('p', String(limits.memoryBytes), prelude);
}

/** Returns the frame that starts a run. If the guest already holds the prelude (`held`), the frame contains `=` instead. */
export function startFrame({ limits, prelude, code }: BoundedRequest, held: string | undefined): string {
  const { maxConsoleBytes, maxResultBytes, maxCalls, maxInFlight, maxCallInputBytes } = limits;
  const figures = [maxConsoleBytes, maxResultBytes, maxCalls, maxInFlight, maxCallInputBytes];
  const guestLimits = codec.encode('', ...figures.map(String));
  return codec.encode(
    '',
    String(limits.memoryBytes),
    String(limits.cpuTimeMs),
    guestLimits,
    prelude === held ? '=' : prelude,
    code,
  );
}
