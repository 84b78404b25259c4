import type { Problem, ProblemCode } from './problem.ts';
import type { ObjectSchema, Schema, ValueOf } from './schema.ts';

/** Permission of a caller: start runs and call tools, decide the approvals of others, see and change everything. */
export type Role = 'run' | 'approve' | 'admin';

/** A response with a JSON body. */
export interface JsonResponse<Body> {
  readonly type: 'json';
  readonly schema: Schema<Body>;
}

/** A response without a body. */
export interface EmptyResponse {
  readonly type: 'empty';
}

/** A response whose body is not JSON. */
export interface RawResponse {
  readonly type: 'raw';
  readonly mediaType: string;
}

/** A response of an operation that was not refused. */
export type ApiResponse = JsonResponse<unknown> | EmptyResponse | RawResponse;

/** One operation of the API. Requests are checked, responses are typed, and the documentation is written from it. */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** With parameters in braces: `/v1/runs/{id}`. */
  readonly path: string;
  readonly summary: string;
  /** Role that the caller needs; any known caller may when absent. */
  readonly role?: Role;
  /** True if it ends work, frees space or decides an approval, so that the server's limits of requests do not apply. */
  readonly endsWork?: boolean;
  /**
   * Set if requests may have an `Idempotency-Key`: `run` for an operation that starts a run, `call` for another effect,
   * `recorded-call` for one that a later request with the key can find in the journal. Requests with the same key and content have one
   * effect.
   */
  readonly keyed?: 'run' | 'call' | 'recorded-call';
  /** True if no authentication is needed. */
  readonly isOpen?: boolean;
  /** Parameters of the query; others are refused. */
  readonly query?: ObjectSchema<object>;
  readonly body?: ObjectSchema<object>;
  /** True if the body is content of any media type, in place of JSON. It is read as it arrives. */
  readonly takesContent?: boolean;
  /** By status. */
  readonly responses: Readonly<Record<number, ApiResponse>>;
  /** One event of the stream (`text/event-stream`) that the operation may respond with, status 200. */
  readonly events?: Schema<StreamEvent>;
  /** Type of the last event of the stream; absent for a stream that has no end. */
  readonly endEvent?: string;
  /** Bodies of refusals that have keys next to `error`, by status. */
  readonly refusals?: Readonly<Record<number, JsonResponse<Problem>>>;
  /** Codes of its own refusals, in addition to those that any operation may have, for example `E_REQUEST_INVALID`. */
  readonly errors: readonly ProblemCode[];
}

/**
 * An event of a stream: `type` is the `event` field of the server-sent event, `id` or `sequence` its `id`, and the other
 * keys are its `data`.
 */
export interface StreamEvent {
  readonly type: string;
  /** Resume after this event with `Last-Event-ID`; absent for an event that has no place in the stream. */
  readonly id?: string;
  /** The id in a stream whose ids are whole numbers. */
  readonly sequence?: number;
}

type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;

/** Parameters of the path of an operation, by name. */
export type ParamsOf<Definition extends Operation> = Readonly<Record<Names<Definition['path']>, string>>;

/** Query of an operation. */
export type QueryOf<Definition extends Operation> = Definition extends { readonly query: ObjectSchema<infer Query> }
  ? Query
  : Readonly<Record<never, never>>;

/** Body of a request of an operation. */
export type BodyOf<Definition extends Operation> = Definition extends { readonly body: ObjectSchema<infer Body> }
  ? Body
  : Readonly<Record<never, never>>;

/** JSON bodies that an operation responds with. */
export type JsonOf<Definition extends Operation> = {
  [Status in keyof Definition['responses']]: Definition['responses'][Status] extends JsonResponse<infer Body>
    ? Body
    : never;
}[keyof Definition['responses']];

/** Event of the stream of an operation. */
export type EventOf<Definition extends Operation> = Definition extends { readonly events: infer Events }
  ? ValueOf<Events>
  : never;

/** Declares an operation. */
export function operation<const Definition extends Operation>(definition: Definition): Definition {
  return definition;
}

/** A response with this JSON body. */
export function json<Body>(schema: Schema<Body>): JsonResponse<Body> {
  return { type: 'json', schema };
}

/** A response without a body. */
export const empty: EmptyResponse = { type: 'empty' };

/** A response with a body of this media type. */
export function raw(mediaType: string): RawResponse {
  return { type: 'raw', mediaType };
}

/** Returns the names of the parameters in a path. */
export function pathParameters(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}
