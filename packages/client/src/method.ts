import type { BodyOf, EventOf, JsonOf, Operation, Page, ParamsOf, QueryOf, RawResponse } from '@ravi/api';

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Sent in addition, for example `{ range: 'bytes=0-999' }` for the start of an artifact. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Options of a stream of events. */
export interface StreamOptions extends CallOptions {
  /** `id` or `sequence` of the last known event; only later ones are yielded. */
  readonly after?: string | number;
  /** `false` ends the stream with its connection instead of opening it again. */
  readonly reconnects?: boolean;
  /** Called when a connection is open and when it is lost, for a sign that shows whether the stream is live. */
  readonly onConnection?: (state: 'open' | 'lost') => void;
}

/** Content to upload. Its media type is that of a `Blob` or the header `content-type` of the options. */
export type UploadContent = Blob | Uint8Array<ArrayBuffer> | string | ReadableStream<Uint8Array>;

/** Keys of a query that the client sets itself. */
type OwnKeys = 'stream' | 'format' | 'after';

type Input<Definition extends Operation> = Omit<QueryOf<Definition>, OwnKeys> & BodyOf<Definition>;

type PathArguments<Definition extends Operation> = [keyof ParamsOf<Definition>] extends [never] ? [] : [id: string];

type InputArguments<Definition extends Operation> = [keyof Input<Definition>] extends [never]
  ? []
  : Partial<Input<Definition>> extends Input<Definition>
    ? [input?: Input<Definition>]
    : [input: Input<Definition>];

type ContentArguments<Definition extends Operation> = Definition extends { readonly takesContent: true }
  ? [content: UploadContent]
  : [];

type Result<Definition extends Operation> = [JsonOf<Definition>] extends [never]
  ? Definition['responses'][keyof Definition['responses']] extends RawResponse
    ? Promise<Response>
    : Promise<void>
  : JsonOf<Definition> extends Page<infer Item>
    ? Promise<JsonOf<Definition>> & AsyncIterable<Item>
    : Promise<JsonOf<Definition>>;

/**
 * Method of an operation: the parameter of the path, then content, then the query and the body as one object, then the options. A list
 * is both a promise of its first page and an iterable over the items of every page.
 */
export type Method<Definition extends Operation> = [keyof Definition['responses']] extends [never]
  ? (...args: [...PathArguments<Definition>, options?: StreamOptions]) => AsyncIterableIterator<EventOf<Definition>>
  : (
      ...args: [
        ...PathArguments<Definition>,
        ...ContentArguments<Definition>,
        ...InputArguments<Definition>,
        options?: CallOptions,
      ]
    ) => Result<Definition>;
