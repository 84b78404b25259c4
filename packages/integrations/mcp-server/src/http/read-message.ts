import { parseMessage, tooLarge } from '../parse-message.ts';

/** Reads the body of a request as a message, or returns the response that refuses it. */
export async function readMessage(request: Request, maxBytes: number): Promise<unknown> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  const bytes = announced > maxBytes ? undefined : await readBytes(request, maxBytes);
  if (bytes === undefined) {
    const { code, message } = tooLarge(maxBytes);
    return refusal(413, code, message);
  }
  const parsed = parseMessage(bytes);
  return 'value' in parsed ? parsed.value : refusal(400, parsed.problem.code, parsed.problem.message);
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
