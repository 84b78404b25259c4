import { ownErrorIn, tooLarge } from './errors.ts';

/** Options of {@link limitedResponse}. */
export interface LimitedResponseOptions {
  readonly url: string;
  readonly isRedirected: boolean;
  readonly hasBody: boolean;
  readonly maxBytes: number;
  /** Called once, when the body has ended in any way. */
  readonly onEnd: () => void;
}

/** Response of an HTTP client that is not the one of the platform. */
export interface ReceivedResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Iterable<readonly [string, string]> & { get(name: string): string | null };
  readonly body: unknown;
}

/**
 * Returns a response of the platform that streams a received one and fails after `maxBytes`, counted after decompression.
 * @throws KernelError `E_FETCH_TOO_LARGE` if the server announces more
 */
export function limitedResponse(received: ReceivedResponse, options: LimitedResponseOptions): Response {
  const { maxBytes, hasBody, onEnd } = options;
  const body = received.body as ReadableStream<Uint8Array> | null;
  if (hasBody && Number(received.headers.get('content-length') ?? 0) > maxBytes) {
    // The server sees a closed connection; its answer to that is not needed.
    body?.cancel().catch(() => undefined);
    throw tooLarge(maxBytes);
  }
  if (!hasBody || body === null) onEnd();
  const { status, statusText } = received;
  const headers = [...received.headers].map(([name, value]): [string, string] => [name, value]);
  const response = new Response(hasBody && body !== null ? limited(body, maxBytes, onEnd) : null, {
    status,
    statusText,
    headers,
  });
  // `Response` has no way to set them.
  Object.defineProperty(response, 'url', { value: options.url });
  Object.defineProperty(response, 'redirected', { value: options.isRedirected });
  return response;
}

function limited(body: ReadableStream<Uint8Array>, maxBytes: number, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            onEnd();
            controller.close();
            return;
          }
          bytes += value.byteLength;
          if (bytes > maxBytes) {
            reader.cancel().catch(() => undefined);
            throw tooLarge(maxBytes);
          }
          controller.enqueue(value);
        } catch (error) {
          onEnd();
          throw ownErrorIn(error) ?? error;
        }
      },
      async cancel(reason) {
        onEnd();
        await reader.cancel(reason);
      },
    },
    // Reads no more than its reader asks for.
    { highWaterMark: 0 },
  );
}
