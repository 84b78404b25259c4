import { eventIdPattern } from '@ravi/api';
import type { BodyOf, EmptyResponse, JsonResponse, Operation, Page, ParamsOf, QueryOf, RawResponse } from '@ravi/api';
import type { KernelError } from '@ravi/kernel';
import type { Caller } from '../access/caller.ts';
import { problem } from './problem.ts';

/** A request of an operation; params, query and body have been checked against its schemas. */
export interface ApiRequest<Definition extends Operation = Operation> {
  readonly caller: Caller;
  /** Parameters of the path by name. */
  readonly params: ParamsOf<Definition>;
  readonly query: QueryOf<Definition>;
  readonly body: BodyOf<Definition>;
  readonly headers: Headers;
  /** Body of an operation that takes content; absent if it is empty. */
  readonly content?: ReadableStream<Uint8Array>;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Present if the request has an `Idempotency-Key`. */
  readonly keyed?: KeyedWork;
  /** Address of the client. */
  readonly address: string;
  /** True if the client used TLS, to this server or to a trusted proxy. */
  readonly isSecure: boolean;
}

/** The work of a request with an `Idempotency-Key`. */
export interface KeyedWork {
  /** Id for its run. Every request with the key has the same one. */
  readonly runId: string;
  /** True if an earlier request had the key. */
  readonly isRepeated: boolean;
  /**
   * Reports that an effect begins which is not recorded as a run. From now on no other request with the key may begin it, even if
   * this one fails.
   */
  readonly onBegin: () => void;
  /** Reports that the request ends without an effect, so that it can be repeated with the key. */
  readonly onNothingDone: () => void;
}

/** A JSON response with a status and headers. */
export class Reply<Status extends number, Body> {
  readonly status: Status;
  readonly body: Body;
  readonly headers: Readonly<Record<string, string>>;

  /** Body as JSON text. By default `body` is serialised. */
  readonly text: string | undefined;

  constructor(status: Status, body: Body, headers: Readonly<Record<string, string>> = {}, text?: string) {
    this.status = status;
    this.body = body;
    this.headers = headers;
    this.text = text;
  }
}

type ReplyTo<Status, Response> =
  Response extends JsonResponse<infer Body>
    ? Reply<Status & number, Body>
    : Response extends EmptyResponse
      ? Reply<Status & number, undefined>
      : Response extends RawResponse
        ? globalThis.Response
        : never;

type RefusalOf<Definition extends Operation> = Definition extends { readonly refusals: infer Refusals }
  ? { [Status in keyof Refusals]: ReplyTo<Status, Refusals[Status]> }[keyof Refusals]
  : never;

type ResultOf<Definition extends Operation> =
  | {
      [Status in keyof Definition['responses']]: ReplyTo<Status, Definition['responses'][Status]>;
    }[keyof Definition['responses']]
  | RefusalOf<Definition>
  | (Definition['responses'] extends { readonly 200: JsonResponse<infer Body> } ? Body : never)
  | (Definition extends { readonly events: object } ? Response : never);

/** Handles a request: returns the JSON body of status 200, a {@link Reply}, or a `Response` if the body is not JSON. */
export type Handler<Definition extends Operation> = (
  request: ApiRequest<Definition>,
) => ResultOf<Definition> | Promise<ResultOf<Definition>>;

/** Rejects with the refusal of a request, of which nothing but the address of the client and the path is read. */
export type Admission = (request: {
  readonly params: Readonly<Record<string, string>>;
  readonly address: string;
}) => Promise<void>;

/** An operation with its handler. */
export interface Endpoint {
  readonly operation: Operation;
  /** Default: 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Refuses requests of an operation that is open to everybody, before their body is read. */
  readonly admit?: Admission | undefined;
  readonly handle: (request: ApiRequest) => unknown;
  /** Refuses every request of a known caller, before its query and body are checked. */
  readonly refusal?: KernelError;
}

/** Implements an operation of the API. It does not compile if a response does not match the operation. */
export function implement<Definition extends Operation>(
  operation: Definition,
  handle: Handler<Definition>,
  { maxBodyBytes, admit }: Pick<Endpoint, 'maxBodyBytes' | 'admit'> = {},
): Endpoint {
  // The schemas of the operation have checked the request.
  return {
    operation,
    maxBodyBytes,
    admit,
    handle,
  };
}

/**
 * Returns the number of the event that a stream continues after: `Last-Event-ID` of a browser that reconnects, else the
 * parameter `after`. @throws KernelError `E_REQUEST_INVALID`
 */
export function resumeAfter({
  headers,
  query,
}: Pick<ApiRequest, 'headers'> & { readonly query: { readonly after?: number } }): number | undefined {
  const seen = headers.get('last-event-id');
  if (seen === null) return query.after;
  if (/^\d{1,15}$/.test(seen)) return Number(seen);
  throw problem('E_REQUEST_INVALID', '"Last-Event-ID" must be a whole number');
}

/**
 * Returns the id of the event of a run that a stream continues after: `Last-Event-ID` of a browser that reconnects, else the
 * parameter `after`. @throws KernelError `E_REQUEST_INVALID`
 */
export function eventAfter({
  headers,
  query,
}: Pick<ApiRequest, 'headers'> & { readonly query: { readonly after?: string } }): string | undefined {
  const seen = headers.get('last-event-id');
  if (seen === null || seen === '') return query.after;
  if (new RegExp(eventIdPattern).test(seen)) return seen;
  throw problem('E_REQUEST_INVALID', '"Last-Event-ID" must be the id of an event of this run, for example "1.17"');
}

/** Returns the page that a query asks for. */
export function pageOf(query: { readonly limit?: number; readonly cursor?: string }): {
  readonly limit: number;
  readonly cursor?: string;
} {
  const { limit = 50, cursor } = query;
  return cursor === undefined ? { limit } : { limit, cursor };
}

/** Returns the body of a list. */
export function listOf<Item>(items: readonly Item[], next?: string): Page<Item> {
  return next === undefined ? { items } : { items, next };
}
