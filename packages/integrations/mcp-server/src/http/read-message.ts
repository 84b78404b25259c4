import { jsonTextProblem } from '@ravi/support';

const parseError = -32_700;
const invalidRequest = -32_600;

/**
 * Reads the body of a request as JSON, or returns the response that refuses it: it is too large, nests too deep, is not JSON in
 * UTF-8, or is a batch, which neither version of the protocol has.
 */
export async function readMessage(request: Request, maxBytes: number): Promise<unknown> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  const bytes = announced > maxBytes ? undefined : await readBytes(request, maxBytes);
  if (bytes === undefined) return refusal(413, invalidRequest, `The message is larger than ${maxBytes} bytes`);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const problem = jsonTextProblem(text);
    if (problem !== undefined) return refusal(400, invalidRequest, `The message ${problem}`);
    const message = JSON.parse(text) as unknown;
    // A list would count as one request of the caller.
    if (Array.isArray(message)) return refusal(400, invalidRequest, 'A request takes one message, not a list of them');
    return message;
  } catch {
    return refusal(400, parseError, 'The message is not JSON in UTF-8');
  }
}

async function readBytes({ body }: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns the response to a request that is not handled, as the protocol writes it. */
export function refusal(status: number, code: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers });
}
