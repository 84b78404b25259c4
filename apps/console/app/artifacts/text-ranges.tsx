import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { BlobStat } from '@ravi/kernel';
import { printable } from '@ravi/approval-web/text';
import { ravi } from '../api/client.ts';
import type { Part } from '../ui/json-start.ts';
import { Loaded } from '../ui/loaded.tsx';
import { Pager } from '../ui/pager.tsx';

const partBytes = 100_000;
// A UTF-8 character has at most this many bytes after its first.
const maxContinuation = 3;

/** Text of an artifact of any size, one part at a time, each loaded when it is opened. */
export function TextRanges({ artifact: { ref, bytes } }: { readonly artifact: BlobStat }) {
  const [part, open] = useState(0);
  const range = { from: part * partBytes, to: Math.min(bytes, (part + 1) * partBytes) };
  const query = useQuery({
    queryKey: ['artifact', ref, 'text', range],
    staleTime: Infinity,
    queryFn: async ({ signal }) => textOf(await readRange(ref, range, signal), range),
  });
  return (
    <>
      <Pager part={part} parts={Math.ceil(bytes / partBytes)} onChange={open} />
      <Loaded query={query}>
        {(text) => (
          <pre className="prose preview" role="region" aria-label="Preview" tabIndex={0}>
            {printable(text)}
          </pre>
        )}
      </Loaded>
    </>
  );
}

/** Returns the bytes of the range, and up to 3 more that complete its last character. */
async function readRange(ref: string, { from, to }: Part, signal: AbortSignal): Promise<Uint8Array> {
  if (to === 0) return new Uint8Array();
  const end = to + maxContinuation;
  const response = await ravi.artifacts.content(ref, { signal, headers: { range: `bytes=${from}-${end - 1}` } });
  const bytes = new Uint8Array(await response.arrayBuffer());
  // A server without ranges sends everything.
  return response.status === 206 ? bytes : bytes.subarray(from, end);
}

/** Decodes the characters that begin in the range. */
function textOf(bytes: Uint8Array, { from, to }: Part): string {
  const start = from === 0 ? 0 : afterContinuation(bytes, 0);
  return new TextDecoder().decode(bytes.subarray(start, afterContinuation(bytes, to - from)));
}

function afterContinuation(bytes: Uint8Array, index: number): number {
  let place = index;
  while (place < index + maxContinuation && ((bytes[place] ?? 0) & 0xc0) === 0x80) place += 1;
  return place;
}
