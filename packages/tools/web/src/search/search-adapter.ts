/** Words to search for, and the results to return. */
export interface SearchQuery {
  readonly query: string;
  /** Maximum number of results, from 1 to 20. */
  readonly count: number;
  /** Page of results, from 1. */
  readonly page: number;
  /** Language of results as its code, for example `en`. */
  readonly language?: string | undefined;
}

/** One result of a search. Its text was written by others. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** Date or age of the page as the service says it. */
  readonly date?: string;
}

/** Request to a service. */
export interface SearchRequest {
  readonly url: URL;
  readonly init: RequestInit;
}

/** A search service. */
export interface SearchAdapter {
  /** Address of the service, if the configuration has none. */
  readonly defaultUrl?: string;
  /** False for a service that returns the first results always: later pages are cut from a longer list. */
  readonly hasPages: boolean;
  /** Options that it needs. */
  readonly needs: readonly ('url' | 'key' | 'engine')[];
  request(
    query: SearchQuery,
    options: { readonly url: URL; readonly key: string; readonly engine: string },
  ): SearchRequest;
  /** Returns the fields of each result; values of wrong types are dropped by the caller. */
  read(body: unknown): readonly RawResult[];
}

/** Fields of a result as a service sent them. */
export type RawResult = Readonly<Record<'title' | 'url' | 'snippet' | 'date', unknown>>;

/** Returns the items of a list below these keys; an empty list if there is none. */
export function listAt(body: unknown, ...keys: readonly string[]): readonly Readonly<Record<string, unknown>>[] {
  let value = body;
  for (const key of keys) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
