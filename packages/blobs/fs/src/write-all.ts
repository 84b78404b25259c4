import type { FileHandle } from 'node:fs/promises';

/** Appends all of `chunks`: one call of the system may write less than it was given, and calls that a success. */
export async function writeAll(file: Pick<FileHandle, 'writev'>, chunks: readonly Uint8Array[]): Promise<void> {
  let rest = chunks;
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest);
    rest = withoutFirst(rest, bytesWritten);
  }
}

function withoutFirst(chunks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  const rest: Uint8Array[] = [];
  let skip = bytes;
  for (const chunk of chunks) {
    if (skip < chunk.byteLength) rest.push(chunk.subarray(skip));
    skip = Math.max(0, skip - chunk.byteLength);
  }
  return rest;
}
