import { Agent, fetch as send } from 'undici';
import type { BodyInit as SentBody } from 'undici';
import { createCheckedConnector } from './checked-connector.ts';
import type { AddressLookup } from './checked-lookup.ts';
import { ownErrorIn, refused, tooLate } from './errors.ts';
import { limitedResponse } from './limited-response.ts';
import { checkCredentials, readRequest } from './outgoing-request.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import { redirectedRequest, redirectTarget } from './redirect.ts';

/** Options of {@link createSafeFetch}. */
export interface SafeFetchOptions {
  /**
   * True to allow addresses of this machine and of private networks. Link-local addresses, metadata services and reserved addresses
   * are refused in any case.
   */
  readonly allowPrivateAddresses: boolean;
  /** The only hosts that are called, redirects included: `example.com`, or `example.com:8443` for another port. Absent for all. */
  readonly pinnedHosts?: readonly string[];
  /** Returns true for an address that may be called, redirects included. Absent for all. */
  readonly isAddressAllowed?: (url: URL) => boolean;
  /** Maximum bytes of a response after decompression. Default 16 MiB; `Infinity` for a stream without an end. */
  readonly maxBytes?: number;
  /** Milliseconds from the call to the end of the body. Default 60 000; `Infinity` for a stream without an end. */
  readonly timeoutMs?: number;
  /** Replaces the look-up of the system. */
  readonly lookup?: AddressLookup;
}

/** `fetch` with its connections. Disposal closes those that are idle and ends the others. */
export type SafeFetch = typeof fetch & AsyncDisposable;

const maxRedirects = 5;
const defaultMaxBytes = 16 * 1024 * 1024;
const defaultTimeoutMs = 60_000;
const statusesWithoutBody: readonly number[] = [204, 205, 304];

/**
 * Creates a `fetch` for addresses that other people choose. It connects only to addresses that are allowed, checked when it
 * connects, and follows at most five redirects, each checked like the first request: never from https to http, and to another origin
 * without a body and without headers that may be secret. It rejects with KernelError `E_FETCH_REFUSED`, `E_FETCH_TOO_LARGE` and
 * `E_FETCH_TIMEOUT`, with TypeError if the server cannot be reached, and with the reason of an aborted signal.
 */
export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  // Time limits are ours: the defaults of the client would end a stream that is silent for five minutes.
  const agent = new Agent({ connect: createCheckedConnector(options), headersTimeout: 0, bodyTimeout: 0 });
  const call = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    exchange(input, init, agent, options);
  return Object.assign(call, { [Symbol.asyncDispose]: () => agent.destroy() });
}

async function exchange(
  input: string | URL | Request,
  init: RequestInit | undefined,
  agent: Agent,
  { pinnedHosts, isAddressAllowed, maxBytes = defaultMaxBytes, timeoutMs = defaultTimeoutMs }: SafeFetchOptions,
): Promise<Response> {
  let request = await readRequest(input, init);
  const { signal, onEnd } = limitedTime(request.signal, timeoutMs);
  try {
    for (let hop = 0; ; hop++) {
      checkTarget(request.url, pinnedHosts);
      if (isAddressAllowed?.(request.url) === false) {
        throw refused(
          `${request.url.host} is not called${hop === 0 ? '' : ' after a redirect'}; it is not an allowed host`,
        );
      }
      const received = await sendOnce(request, signal, agent);
      const target = request.redirect === 'manual' ? undefined : redirectTarget(received, request.url);
      if (target === undefined) {
        return limitedResponse(received, {
          url: request.url.href,
          isRedirected: hop > 0,
          hasBody: request.method !== 'HEAD' && !statusesWithoutBody.includes(received.status),
          maxBytes,
          onEnd,
        });
      }
      await received.body?.cancel();
      if (request.redirect === 'error') throw refused(`${request.url.host} redirects`);
      if (hop === maxRedirects) throw refused(`${request.url.host} redirects more than ${maxRedirects} times`);
      request = redirectedRequest(request, received.status, target);
    }
  } catch (error) {
    onEnd();
    throw ownErrorIn(error) ?? error;
  }
}

function checkTarget(url: URL, pinnedHosts: readonly string[] | undefined): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refused(`${url.protocol.slice(0, -1)} is neither https nor http`);
  }
  checkCredentials(url.href);
  if (pinnedHosts !== undefined && !pinnedHosts.includes(url.host)) {
    throw refused(`${url.host} is not called; only ${pinnedHosts.join(' and ')} may be`);
  }
}

function sendOnce(request: OutgoingRequest, signal: AbortSignal, dispatcher: Agent): ReturnType<typeof send> {
  const { method, url, headers, body } = request;
  return send(url, {
    method,
    headers: [...headers],
    redirect: 'manual',
    signal,
    dispatcher,
    ...(body === undefined ? {} : { body: body as SentBody }),
    ...(body instanceof ReadableStream ? { duplex: 'half' as const } : {}),
  });
}

function limitedTime(
  given: AbortSignal | undefined,
  timeoutMs: number,
): { readonly signal: AbortSignal; readonly onEnd: () => void } {
  const controller = new AbortController();
  const timer = timeoutMs === Infinity ? undefined : setTimeout(() => controller.abort(tooLate(timeoutMs)), timeoutMs);
  // An open connection keeps the process alive; a body without a reader must not, once its connection is closed.
  timer?.unref();
  const abort = (): void => controller.abort(given?.reason);
  if (given?.aborted === true) abort();
  given?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    onEnd: () => {
      clearTimeout(timer);
      given?.removeEventListener('abort', abort);
    },
  };
}
