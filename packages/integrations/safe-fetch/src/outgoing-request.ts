import { refused } from './errors.ts';

/** Request in a form that can be sent again. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** A stream can be sent once. */
  readonly body: Uint8Array | ReadableStream<Uint8Array> | undefined;
  readonly redirect: Request['redirect'];
  readonly signal: AbortSignal | undefined;
}

/** Reads the arguments of `fetch`. @throws TypeError for what `fetch` itself refuses, such as a relative URL, KernelError `E_FETCH_REFUSED` */
export async function readRequest(input: string | URL | Request, init: RequestInit = {}): Promise<OutgoingRequest> {
  if (!(input instanceof Request)) checkCredentials(String(input));
  // Forms are read here, because one that is sent again would have another boundary.
  const isStream = init.body instanceof ReadableStream;
  const request = new Request(input, isStream ? { ...init, duplex: 'half' } : init);
  const { method, headers, redirect } = request;
  const signal = init.signal ?? (input instanceof Request ? input.signal : undefined) ?? undefined;
  const base = { method, url: new URL(request.url), headers, redirect, signal };
  if (request.body === null) return { ...base, body: undefined };
  const isFromStream = isStream || (init.body === undefined && input instanceof Request);
  return { ...base, body: isFromStream ? request.body : new Uint8Array(await request.arrayBuffer()) };
}

/** Refuses credentials in an address: the platform would repeat them in its error. */
export function checkCredentials(address: string): void {
  if (!URL.canParse(address)) return;
  const { username, password, host } = new URL(address);
  if (username !== '' || password !== '') throw refused(`the address of ${host} contains credentials`);
}
