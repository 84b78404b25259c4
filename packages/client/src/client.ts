import { api, pathParameters } from '@ravi/api';
import type { Operation, Page } from '@ravi/api';
import { followEvents } from './follow-events.ts';
import type { Reconnect } from './follow-events.ts';
import type { CallOptions, Method, StreamOptions, UploadContent } from './method.ts';
import { createTransport, readJson } from './transport.ts';
import type { ApiCall, Fetch } from './transport.ts';

/** Options of {@link createClient}. */
export interface ClientOptions {
  /** Address of the server, for example `http://127.0.0.1:7341`; in a browser also a path, `''` for the page's own server. */
  readonly baseUrl: string;
  /** Token of the caller; without it a browser sends the cookie of its sign-in. */
  readonly token?: string | undefined;
  /** `include` sends the cookie of a sign-in to a server of another origin too. Default `same-origin`. */
  readonly credentials?: 'include' | 'same-origin' | undefined;
  /** Default: the `fetch` of the platform. */
  readonly fetch?: Fetch | undefined;
  /** Pauses before a stream of events is opened again. */
  readonly reconnect?: Reconnect | undefined;
}

type Api = typeof api;

/** A client of one server: a method for each operation, `client.runs.get(id)`. */
export type Client = {
  readonly [Group in keyof Api]: {
    readonly [Name in keyof Api[Group]]: Api[Group][Name] extends Operation ? Method<Api[Group][Name]> : never;
  };
};

type AnyMethod = (...args: readonly unknown[]) => unknown;

/** Creates a client. Each method throws or rejects with a `RaviApiError` when the server refuses. */
export function createClient(options: ClientOptions): Client {
  const send = createTransport(options);
  const groups = Object.entries(api).map(([group, members]) => {
    const methods = Object.entries(members).map(([name, operation]) => [name, methodOf(operation)] as const);
    return [group, Object.fromEntries(methods)] as const;
  });
  const client = Object.fromEntries(groups) as unknown as Client;
  return client;

  function methodOf(operation: Operation): AnyMethod {
    const isStream = Object.keys(operation.responses).length === 0;
    return (...args) => (isStream ? streamOf(operation, args) : resultOf(operation, args));
  }

  function streamOf(operation: Operation, args: readonly unknown[]): AsyncIterableIterator<unknown> {
    const { path, rest } = fillPath(operation, args);
    const { after, signal, headers: given, reconnects, onConnection } = (rest[0] ?? {}) as StreamOptions;
    return followEvents({
      open(lastEventId) {
        const headers = { ...given, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) };
        return send({ method: 'GET', path, headers, signal }, new Set());
      },
      after,
      endEvent: operation.endEvent,
      async isOver() {
        const { status } = await client.runs.get(String(args[0]), signal === undefined ? {} : { signal });
        return status !== 'running' && status !== 'paused' && status !== 'blocked';
      },
      reconnect: reconnects === false ? false : options.reconnect,
      signal,
      onConnection,
    });
  }

  function resultOf(operation: Operation, args: readonly unknown[]): Promise<unknown> {
    const { path, rest: given } = fillPath(operation, args);
    const [content, ...rest] = operation.takesContent === true ? given : [undefined, ...given];
    const hasInput = operation.query !== undefined || operation.body !== undefined;
    const [input, callOptions] = (hasInput ? rest : [{}, ...rest]) as [input?: object, callOptions?: CallOptions];
    const request = (more: object = {}): Promise<unknown> =>
      respond(operation, {
        ...callOf(operation, path, { ...input, ...more }),
        content: content as UploadContent | undefined,
        isRepeatable: operation.keyed !== undefined,
        ...callOptions,
      });
    return isList(operation) ? withItems(request(), (cursor) => request({ cursor })) : request();
  }

  async function respond({ responses }: Operation, call: ApiCall): Promise<unknown> {
    const accepted = new Set(Object.keys(responses).map(Number));
    const response = await send(call, accepted);
    const expected = responses[response.status];
    if (expected?.type === 'raw') return response;
    return expected?.type === 'empty' ? undefined : readJson(response);
  }
}

/** Puts the values of path parameters into a path; returns the other arguments with it. */
function fillPath(
  { path }: Operation,
  args: readonly unknown[],
): { readonly path: string; readonly rest: readonly unknown[] } {
  const names = pathParameters(path);
  const filled = names.reduce(
    (text, name, index) => text.replace(`{${name}}`, encodeURIComponent(String(args[index]))),
    path,
  );
  return { path: filled, rest: args.slice(names.length) };
}

/** Sorts the input of a method into query and body, as the operation declares them. */
function callOf({ method, query, body }: Operation, path: string, input: object): ApiCall {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const isInQuery = ([name]: readonly [string, unknown]): boolean => name in (query?.properties ?? {});
  const search = new URLSearchParams();
  for (const [name, value] of given.filter(isInQuery)) search.set(name, String(value));
  const fields = given.filter((field) => !isInQuery(field));
  return {
    method: method.toUpperCase(),
    path: search.size === 0 ? path : `${path}?${search}`,
    ...(body === undefined ? {} : { body: Object.fromEntries(fields) }),
  };
}

function isList({ responses }: Operation): boolean {
  const response = responses[200];
  if (response?.type !== 'json') return false;
  const { properties = {} } = response.schema as { readonly properties?: object };
  return 'items' in properties;
}

/** Makes the promise of a page iterable over the items of that page and all later ones. */
function withItems(
  first: Promise<unknown>,
  next: (cursor: string) => Promise<unknown>,
): Promise<unknown> & AsyncIterable<unknown> {
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      let page = (await first) as Page<unknown>;
      for (;;) {
        yield* page.items;
        if (page.next === undefined) return;
        page = (await next(page.next)) as Page<unknown>;
      }
    },
  });
}
