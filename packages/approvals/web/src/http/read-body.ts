import type { JsonObject, JsonValue } from '@ravi/kernel';
import { problem } from './problem.ts';

const maxDepth = 64;

/**
 * The body as a JSON object with no other keys than `known`. It is not read beyond `maxBytes`.
 * @throws KernelError `E_CONTENT_TYPE`, `E_BODY_TOO_LARGE`, `E_REQUEST_INVALID`
 */
export async function readBody(request: Request, maxBytes: number, known: readonly string[]): Promise<JsonObject> {
  const mediaType = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (mediaType !== 'application/json') {
    throw problem('E_CONTENT_TYPE', `The content type must be application/json, got "${mediaType}"`);
  }
  const body = parse(await readText(request, maxBytes));
  if (!isObject(body)) throw problem('E_REQUEST_INVALID', 'The body must be a JSON object');
  const unknown = Object.keys(body).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw problem('E_REQUEST_INVALID', `"${unknown}" is not a known key; known are ${known.join(', ')}`);
  }
  if (isDeep(body)) throw problem('E_REQUEST_INVALID', `The body is nested more than ${maxDepth} deep`);
  return body;
}

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function readText({ body }: Request, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // The announced length is no proof; what comes is counted.
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw problem('E_BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw problem('E_REQUEST_INVALID', `The body is not JSON: ${(error as SyntaxError).message}`);
  }
}

function isDeep(body: JsonValue): boolean {
  let level: readonly JsonValue[] = [body];
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values<JsonValue>(one) : []));
  }
  return level.length > 0;
}
