import { storedTextOf } from '@ravi/invoker';
import { isKernelError } from '@ravi/kernel';
import type { BlobReader, ChainPolicy, InvocationError, InvocationResult } from '@ravi/kernel';

type AnswerLimits = Pick<ChainPolicy, 'maxScriptResultBytes' | 'maxCallOutputBytes'>;

/**
 * The value of a call as text for the script, its kind in the first character: `j` JSON, `t` text, `a` a handle of a
 * stored result, `f` text with files, `m` files on a line of their own before any other value, `e` a failure. A stored
 * result up to `maxScriptResultBytes` is its value, forwarded as it is stored.
 */
export async function answerOf(result: InvocationResult, blobs: BlobReader, limits: AnswerLimits): Promise<string> {
  if (result.error !== undefined) return failureAnswer(result.status, result.error);
  const answer = await valueAnswer(result, blobs, limits.maxScriptResultBytes);
  const { maxCallOutputBytes } = limits;
  // Without the character of the kind, and only where it may be too much: no character takes more than three bytes.
  const bytes = answer.length * 3 > maxCallOutputBytes ? Buffer.byteLength(answer) - 1 : 0;
  if (bytes <= maxCallOutputBytes) return answer;
  const message = `The result of the call takes ${bytes} bytes; the limit maxCallOutputBytes is ${maxCallOutputBytes}`;
  return failureAnswer('error', { code: 'E_LIMIT_CALL_OUTPUT', message, retryable: false });
}

async function valueAnswer(result: InvocationResult, blobs: BlobReader, maxValueBytes: number): Promise<string> {
  const { structured, artifactRef, files, text } = result;
  const before = files.length === 0 ? '' : `m${JSON.stringify(files)}\n`;
  if (structured !== undefined) return `${before}j${JSON.stringify(structured)}`;
  if (artifactRef !== undefined)
    return before + (atHand(result, maxValueBytes) ?? (await storedAnswer(artifactRef, blobs, maxValueBytes)));
  return files.length === 0 ? `t${text}` : `f${JSON.stringify({ text, files })}`;
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
