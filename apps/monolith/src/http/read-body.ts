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
export async function readBody(context: Context): Promise<JsonObject> {
  const mediaType = context.req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (mediaType !== 'application/json') {
    throw problem('E_CONTENT_TYPE', `The content type must be application/json, got "${mediaType}"`);
  }
  const body = parse(await context.req.text());
  if (!isObject(body)) throw problem('E_REQUEST_INVALID', 'The body must be a JSON object');
  return body;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw problem('E_REQUEST_INVALID', `The body is not JSON: ${(error as SyntaxError).message}`);
  }
}
