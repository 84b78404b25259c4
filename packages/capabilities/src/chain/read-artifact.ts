import { isKernelError } from '@ravi/kernel';
import type { BlobReader } from '@ravi/kernel';

// Largest part of an artifact in one reply.
const maxArtifactChunkBytes = 1_048_576;

// A UTF-8 character has at most three bytes after its first.
const maxContinuation = 3;

/**
 * Reads a part of an artifact for a script. `range` is `<ref>\n<offset>\n<length>` from the guest: hostile until checked.
 * Text contains the whole characters that start in the range. Bytes are encoded as base64, because only strings cross
 * the bridge.
 * @throws Error with a `code` and a message that a script may read
 */
export async function readArtifact(blobs: BlobReader, range: string, form: 'text' | 'base64'): Promise<string> {
  const [ref = '', offsetText = '', lengthText = ''] = range.split('\n', 3);
  const [offset, length] = [Number(offsetText), Math.min(Number(lengthText), maxArtifactChunkBytes)];
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0) {
    throw failure('E_ARGUMENTS_INVALID', 'The offset and length of an artifact read must be 0 or more');
  }
  try {
    const extra = form === 'text' ? maxContinuation : 0;
    const bytes = await collect(await blobs.open(ref, { offset, length: length + extra }));
    return form === 'text' ? wholeCharacters(bytes, length, offset > 0) : bytes.toString('base64');
  } catch (error) {
    if (isKernelError(error, 'E_BLOB_NOT_FOUND') || isKernelError(error, 'E_ARTIFACT_FORBIDDEN')) {
      throw failure(error.code, error.message);
    }
    throw failure(
      isKernelError(error) ? error.code : 'E_BLOB_UNAVAILABLE',
      `The artifact ${ref.slice(0, 128)} cannot be read`,
    );
  }
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function wholeCharacters(bytes: Buffer, length: number, mayStartInside: boolean): string {
  let start = 0;
  while (mayStartInside && start < maxContinuation && isContinuation(bytes[start])) start++;
  let end = Math.min(length, bytes.length);
  while (end < bytes.length && isContinuation(bytes[end])) end++;
  return bytes.toString('utf8', start, end);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
