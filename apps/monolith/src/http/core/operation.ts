import type { JsonObject, JsonSchema } from '@ravi/kernel';
import type { Caller, Role } from '../../access/caller.ts';
import { problem } from './problem.ts';

/** What an operation gets: everything in it has been checked against the operation's schemas. */
export interface ApiRequest {
  readonly caller: Caller;
  /** Parts of the path, by the names in it. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Empty when the operation takes none. */
  readonly body: JsonObject;
  readonly headers: Headers;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** Where the connection comes from. */
  readonly address: string;
  readonly isSecure: boolean;
}

/** One operation of the API: what checks a request and what the OpenAPI document says are the same schemas. */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** With parameters in braces: `/v1/runs/{id}`. */
  readonly path: string;
  readonly summary: string;
  /** What the caller must be allowed; everybody who is known may when absent. */
  readonly role?: Role;
  /** Anybody may, known or not. */
  readonly isOpen?: boolean;
  /** Schema of each parameter of the query; others are refused. */
  readonly query?: Readonly<Record<string, JsonSchema>>;
  /** Schema of the body, an object. */
  readonly body?: JsonSchema;
  /** 4 MiB when absent. */
  readonly maxBodyBytes?: number;
  /** A response as it is, or a value that is sent as JSON with status 200. */
  answer(request: ApiRequest): unknown;
}

/** A path of operations as the router writes it: `/v1/runs/:id`. */
export function routeOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/**
 * Returns the number of the event that a stream continues after: `Last-Event-ID` of a browser that reconnects, else the
 * parameter `after`. @throws KernelError `E_REQUEST_INVALID`
 */
export function resumeAfter({ headers, query }: ApiRequest): number | undefined {
  const seen = headers.get('last-event-id');
  if (seen === null) return query['after'] as number | undefined;
  if (/^\d{1,15}$/.test(seen)) return Number(seen);
  throw problem('E_REQUEST_INVALID', '"Last-Event-ID" must be a whole number');
}

/** The parameters of every list. */
export const pageQuery = {
  limit: { type: 'integer', minimum: 1, maximum: 200, description: 'Entries of a page; 50 when absent.' },
  cursor: { type: 'string', minLength: 1, maxLength: 1_000, description: '"next" of the page before.' },
} as const;

/** The page that a query asks for. */
export function pageOf({ query }: ApiRequest): { readonly limit: number; readonly cursor?: string } {
  const { limit = 50, cursor } = query as { readonly limit?: number; readonly cursor?: string };
  return cursor === undefined ? { limit } : { limit, cursor };
}

/** A list as every list is answered. */
export function listAnswer(
  items: readonly unknown[],
  next?: string,
): { readonly items: readonly unknown[]; readonly next?: string } {
  return next === undefined ? { items } : { items, next };
}
