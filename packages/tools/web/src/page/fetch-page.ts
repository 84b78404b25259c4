import { KernelError } from '@ravi/kernel';
import type { SafeFetch } from '@ravi/safe-fetch';
import type { ReceivedPage } from './read-page.ts';

const acceptedTypes = 'text/html,application/xhtml+xml,application/json;q=0.9,text/*;q=0.9,*/*;q=0.8';
const maxMessageChars = 500;

/**
 * Fetches a page.
 * @throws KernelError `E_HTTP_<status>` with the beginning of the body for a status of failure; of `SafeFetch`; `E_FETCH_FAILED` for a
 * server that cannot be reached
 */
export async function fetchPage(fetch: SafeFetch, url: URL, signal: AbortSignal): Promise<ReceivedPage> {
  try {
    const headers = { accept: acceptedTypes, 'user-agent': 'ravi-tools-web' };
    const response = await fetch(url, { headers, signal });
    const contentType = response.headers.get('content-type') ?? '';
    // Not `bytes()`, which a server that replaces the class of the platform may lack.
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (!response.ok) throw statusError(response, contentType, bytes);
    return { url: response.url, contentType, bytes };
  } catch (error) {
    if (error instanceof KernelError || signal.aborted) throw error;
    throw new KernelError('E_FETCH_FAILED', `${url.host} could not be reached: ${reasonOf(error)}`, {
      cause: error,
      retryable: true,
    });
  }
}

/** Returns the reason why a request got no response, without addresses of the network. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : 'the connection failed';
}

function statusError({ status, headers, url }: Response, contentType: string, bytes: Uint8Array): KernelError {
  const isText = /^text\/|json/i.test(contentType);
  const text = isText ? new TextDecoder().decode(bytes.subarray(0, 4 * maxMessageChars)) : '';
  const plain = text
    .replaceAll(/<[^<>]{0,500}>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, maxMessageChars);
  const isPassing = status === 429 || status === 503;
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new KernelError(
    `E_HTTP_${status}`,
    `${new URL(url).host} answered with HTTP ${status}${plain === '' ? '' : `: ${plain}`}`,
    {
      retryable: isPassing,
      ...(isPassing && retryAfter >= 0 && retryAfter <= 3_600 ? { retryAfterMs: retryAfter * 1_000 } : {}),
    },
  );
}
