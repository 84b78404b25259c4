import type { JsonObject } from '@ravi/kernel';
import { jsonTextProblem } from '@ravi/support';
import { problem } from './responses.ts';

/**
 * Reads the body as a JSON object, and no more of it than `maxBytes`.
 * @throws KernelError `E_CONTENT_TYPE`, `E_BODY_TOO_LARGE`, `E_REQUEST_INVALID`
 */
export async function readBody(request: Request, maxBytes: number): Promise<JsonObject> {
  const mediaType = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (mediaType !== 'application/json') {
    throw problem('E_CONTENT_TYPE', `The content type must be application/json, got "${mediaType}"`);
  }
  const body = parse(await readText(request, maxBytes));
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as JsonObject;
  throw problem('E_REQUEST_INVALID', 'The body must be a JSON object');
}

async function readText({ body }: Request, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // The announced length may be wrong, so the bytes are counted.
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw problem('E_BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  const tooMuch = jsonTextProblem(text);
  if (tooMuch !== undefined) throw problem('E_REQUEST_INVALID', `The body ${tooMuch}`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw problem('E_REQUEST_INVALID', `The body is not JSON: ${(error as SyntaxError).message}`);
  }
}
