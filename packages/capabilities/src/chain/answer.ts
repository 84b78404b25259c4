import { storedTextOf } from '@ravi/agents';
import { isKernelError } from '@ravi/kernel';
import type { BlobReader, InvocationError, InvocationResult } from '@ravi/kernel';

/**
 * The value of a call as text for the script, its kind in the first character: `j` JSON, `t` text, `a` a handle of a
 * stored result, `f` text with files, `e` a failure. A stored result up to `maxValueBytes` is its value, forwarded as
 * it is stored.
 */
export async function answerOf(result: InvocationResult, blobs: BlobReader, maxValueBytes: number): Promise<string> {
  if (result.error !== undefined) return failureAnswer(result.status, result.error);
  if (result.structured !== undefined) return `j${JSON.stringify(result.structured)}`;
  if (result.artifactRef !== undefined)
    return atHand(result, maxValueBytes) ?? storedAnswer(result.artifactRef, blobs, maxValueBytes);
  if (result.files.length > 0) return `f${JSON.stringify({ text: result.text, files: result.files })}`;
  return `t${result.text}`;
}

// What was stored a moment ago need not be read back.
function atHand(result: InvocationResult, maxValueBytes: number): string | undefined {
  const stored = storedTextOf(result);
  if (stored === undefined || stored.bytes > maxValueBytes) return undefined;
  return (stored.mediaType === 'application/json' ? 'j' : 't') + stored.text;
}

async function storedAnswer(ref: string, blobs: BlobReader, maxValueBytes: number): Promise<string> {
  try {
    const stat = await blobs.stat(ref);
    const mediaType = stat?.mediaType ?? 'application/octet-stream';
    const kind = mediaType === 'application/json' ? 'j' : mediaType.startsWith('text/') ? 't' : undefined;
    if (stat === undefined || kind === undefined || stat.bytes > maxValueBytes) {
      return `a${JSON.stringify({ ref, mediaType, bytes: stat?.bytes ?? 0 })}`;
    }
    return kind + Buffer.from(await blobs.resolve(ref)).toString('utf8');
  } catch (error) {
    const code = isKernelError(error) ? error.code : 'E_BLOB_UNAVAILABLE';
    return failureAnswer('error', { code, message: 'The stored result of the call cannot be read', retryable: false });
  }
}

/** A failure as text for the script. */
export function failureAnswer(status: InvocationResult['status'], error: InvocationError): string {
  const { code, message, retryable, retryAfterMs } = error;
  return `e${JSON.stringify({ status, code, message, retryable, retryAfterMs })}`;
}
