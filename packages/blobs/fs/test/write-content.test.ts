import assert from 'node:assert/strict';
import { test } from 'vitest';
import { writeAll } from '../src/write-content.ts';

test('every byte is written once and in order even if the system writes only a part at a time', async () => {
  const chunks = [Uint8Array.of(1, 2, 3), Uint8Array.of(4), Uint8Array.of(5, 6, 7, 8, 9)];
  for (const mostBytes of [1, 2, 3, 4, 5, 100]) {
    const written: number[] = [];
    const writev = async <Chunks extends readonly NodeJS.ArrayBufferView[]>(buffers: Chunks) => {
      const bytes = buffers.flatMap((buffer) => [...(buffer as unknown as Uint8Array)]).slice(0, mostBytes);
      written.push(...bytes);
      return { bytesWritten: bytes.length, buffers };
    };
    await writeAll({ writev }, chunks);
    assert.deepEqual(written, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  }
});
