import type { JsonObject } from '@ravi/kernel';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { problem } from './problem.ts';

/** Refuses bodies over `maxBytes`, announced or streamed, before they are read to their end. */
export function limitBody(maxBytes: number): MiddlewareHandler {
  return bodyLimit({
    maxSize: maxBytes,
    onError: () => {
      throw problem('E_BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes`);
    },
  });
}

/**
 * The body as a JSON object.
 * @throws KernelError `E_CONTENT_TYPE`, `E_REQUEST_INVALID`
 */
export async function readBody({ req }: Context): Promise<JsonObject> {
  requireJson(req.header('content-type') ?? '', req.header('content-encoding') ?? 'identity');
  const body = parse(decode(await req.arrayBuffer()));
  if (!isObject(body)) throw problem('E_REQUEST_INVALID', 'The body must be a JSON object');
  return body;
}

function requireJson(contentType: string, encoding: string): void {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  if (type !== 'application/json') {
    throw problem('E_CONTENT_TYPE', `The content type must be application/json, got "${type}"`);
  }
  const isOtherCharset = parameters.some((part) => part.startsWith('charset=') && !/^charset="?utf-?8"?$/.test(part));
  if (isOtherCharset || encoding.toLowerCase() !== 'identity') {
    throw problem('E_CONTENT_TYPE', 'The body must be JSON in UTF-8, without a content encoding');
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw problem('E_REQUEST_INVALID', 'The body is not UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw problem('E_REQUEST_INVALID', `The body is not JSON: ${(error as SyntaxError).message}`);
  }
}
