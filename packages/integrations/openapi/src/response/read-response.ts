import { KernelError } from '@ravi/kernel';
import type { JsonValue, ToolContext, ToolExecutionResult } from '@ravi/kernel';
import { jsonTextExcess, messageLimits } from '@ravi/source-kit';
import { visibleText } from '@ravi/support';
import { essence, isJsonType, isTextType, mediaBlock } from '../media-type.ts';
import type { Operation } from '../operation/operation.ts';
import { withoutCredentials } from './redact.ts';

const maxErrorBytes = 65_536;
const maxErrorCharacters = 2_000;

/** Context that reading a response needs. */
export type ReadContext = Pick<ToolContext, 'storeArtifact'>;

/**
 * Reads the response of a call. JSON becomes the value, other text stays text, and everything else an artifact, which is stored as it
 * arrives. A status of failure becomes an error with the beginning of the body.
 */
export async function readResponse(
  response: Response,
  operation: Operation,
  context: ReadContext,
): Promise<ToolExecutionResult> {
  if (!response.ok) return failure(response, operation);
  if (operation.method === 'HEAD') return headOf(response, operation);
  const mediaType = essence(response.headers.get('content-type') ?? '');
  if (response.body === null) return empty(response);
  if (isJsonType(mediaType)) return json(await limitedText(response), response, operation);
  if (isTextType(mediaType)) {
    const text = withoutCredentials(await limitedText(response), operation.credentials);
    return { content: [{ type: 'text', text }], isError: false };
  }
  // A server that sends nothing often names no type either.
  if (response.headers.get('content-length') === '0') {
    await response.body.cancel();
    return empty(response);
  }
  const type = mediaType === '' ? 'application/octet-stream' : mediaType;
  const ref = await context.storeArtifact(response.body, type);
  return { content: [mediaBlock(ref, type)], isError: false };
}

function empty({ status }: Response): ToolExecutionResult {
  return {
    content: [{ type: 'text', text: `Done (HTTP ${status}, no content).` }],
    isError: false,
    structuredContent: null,
  };
}

function headOf({ status, headers }: Response, { credentials }: Operation): ToolExecutionResult {
  const shown = [...headers].filter(([name]) => name !== 'set-cookie');
  const fields = Object.fromEntries(shown.map(([name, value]) => [name, withoutCredentials(value, credentials)]));
  return { content: [], isError: false, structuredContent: { status, headers: fields } };
}

function json(text: string, response: Response, { credentials }: Operation): ToolExecutionResult {
  if (text.trim() === '') return empty(response);
  const clean = withoutCredentials(text, credentials);
  const excess = jsonTextExcess(clean);
  if (excess !== undefined) throw invalid(excess);
  let value: JsonValue;
  try {
    value = JSON.parse(clean) as JsonValue;
  } catch (cause) {
    throw invalid('is not JSON', cause);
  }
  return { content: [], isError: false, structuredContent: value };
}

async function failure(response: Response, { method, path, credentials }: Operation): Promise<ToolExecutionResult> {
  const { status } = response;
  const type = essence(response.headers.get('content-type') ?? '');
  const isReadable = isJsonType(type) || isTextType(type);
  const text = isReadable ? withoutCredentials(await beginning(response), credentials) : '';
  if (!isReadable) await response.body?.cancel();
  const detail = visibleText(text).trim().slice(0, maxErrorCharacters);
  const retryAfterMs = retryAfterOf(response.headers.get('retry-after'));
  return {
    content: [
      {
        type: 'error',
        code: `E_HTTP_${status}`,
        message: `${method} ${path} ended with HTTP ${status}${detail === '' ? '' : `: ${detail}`}`,
        retryable: status === 429 || status === 503,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      },
    ],
    isError: true,
  };
}

async function limitedText(response: Response): Promise<string> {
  const announced = Number(response.headers.get('content-length') ?? 0);
  const { maxBytes } = messageLimits;
  const { text, isWhole } = announced > maxBytes ? { text: '', isWhole: false } : await readText(response, maxBytes);
  if (isWhole) return text;
  await response.body?.cancel().catch(() => undefined);
  throw new KernelError('E_FETCH_TOO_LARGE', `The response is text of more than ${maxBytes} bytes`);
}

async function beginning(response: Response): Promise<string> {
  return (await readText(response, maxErrorBytes)).text;
}

async function readText(
  response: Response,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let isWhole = true;
  // Leaving the loop cancels the body.
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk as Uint8Array);
    bytes += (chunk as Uint8Array).byteLength;
    isWhole = bytes <= maxBytes;
    if (!isWhole) break;
  }
  return { text: new TextDecoder().decode(Buffer.concat(chunks)), isWhole };
}

function retryAfterOf(value: string | null): number | undefined {
  return value !== null && /^\d{1,6}$/.test(value) ? Number(value) * 1_000 : undefined;
}

function invalid(reason: string, cause?: unknown): KernelError {
  return new KernelError('E_OUTPUT_INVALID', `The response ${reason}`, { cause });
}
