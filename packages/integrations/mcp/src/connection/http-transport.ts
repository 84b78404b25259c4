import { SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { AuthProvider, FetchLike } from '@modelcontextprotocol/client';
import type { HttpServerOptions } from '../options.ts';
import { withCheckedBody } from './checked-body.ts';
import type { Violation } from './violation.ts';
import type { WireLimits } from './wire-limits.ts';

/** Parts of a transport over HTTP. */
export interface HttpParts {
  /** Reaches only the host of the server. */
  readonly fetch: typeof fetch;
  readonly wire: WireLimits;
  readonly onViolation: Violation;
  /** Credentials of the caller, for a server at which callers sign in. */
  readonly auth?: AuthProvider | undefined;
}

/** Creates the transport of a server over HTTP. Each response is checked before it is parsed. */
export function createHttpTransport(
  options: HttpServerOptions,
  kind: 'http' | 'sse',
  { fetch: reach, wire, onViolation, auth }: HttpParts,
): StreamableHTTPClientTransport | SSEClientTransport {
  const checked: FetchLike = async (url, init) => withCheckedBody(await reach(url, init), wire, onViolation);
  const common = {
    fetch: checked,
    requestInit: { headers: { ...options.headers } },
    ...(auth === undefined ? {} : { authProvider: auth }),
  };
  return kind === 'http'
    ? new StreamableHTTPClientTransport(new URL(options.url), { ...common, onInsufficientScope: 'throw' })
    : new SSEClientTransport(new URL(options.url), common);
}
