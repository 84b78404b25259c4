import { KernelError } from '@ravi/kernel';
import { createSafeFetch } from '@ravi/safe-fetch';
import type { AddressLookup } from '@ravi/safe-fetch';
import { secretSpellings } from '@ravi/support';
import { reasonOf } from '../page/fetch-page.ts';
import { readResults } from './read-results.ts';
import type { SearchAdapter, SearchQuery, SearchResult } from './search-adapter.ts';
import { brave, google, searxng, tavily } from './search-services.ts';

/** Name of a search service. */
export type SearchService = 'searxng' | 'brave' | 'tavily' | 'google';

const adapters: Readonly<Record<SearchService, SearchAdapter>> = { searxng, brave, tavily, google };

/** Names of the services. */
export const searchServices: readonly string[] = Object.keys(adapters);

/** Service of `web_search`. */
export interface SearchOptions {
  readonly service: SearchService;
  /** Address of the service. Needed for `searxng`. */
  readonly url?: string;
  /** Key of the account. */
  readonly key?: string;
  /** Id of the search engine at Google. */
  readonly engine?: string;
  /** True for a service on this machine or in a private network. Default `false`. */
  readonly allowPrivateAddresses?: boolean;
}

/** A search service that is ready. */
export interface Search extends AsyncDisposable {
  /** Host that gets the queries. */
  readonly host: string;
  /** @throws KernelError `E_HTTP_<status>`, `E_SEARCH_INVALID`, `E_FETCH_FAILED`, and those of `SafeFetch` */
  find(query: SearchQuery, signal: AbortSignal): Promise<readonly SearchResult[]>;
}

const maxBytes = 4 * 1024 * 1024;
const timeoutMs = 20_000;

/** @throws KernelError `E_CONFIG_INVALID` if an option is missing */
export function openSearch(options: SearchOptions, lookup?: AddressLookup): Search {
  const { service, key = '', engine = '', allowPrivateAddresses = false } = options;
  const adapter = adapters[service];
  for (const name of adapter.needs) {
    if (options[name] === undefined || options[name] === '') {
      throw new KernelError('E_CONFIG_INVALID', `search.${name} is missing, which the service ${service} needs`);
    }
  }
  const address = options.url ?? adapter.defaultUrl ?? '';
  if (!/^https?:/i.test(address) || !URL.canParse(address)) {
    throw new KernelError('E_CONFIG_INVALID', `search.url is not an address that begins with https: or http:`);
  }
  const url = new URL(address);
  // The key goes to one host only.
  const pinnedHosts = [url.host];
  const fetch = createSafeFetch({
    allowPrivateAddresses,
    pinnedHosts,
    maxBytes,
    timeoutMs,
    ...(lookup === undefined ? {} : { lookup }),
  });
  const spellings = key === '' ? [] : secretSpellings(key);
  const masked = (text: string): string =>
    spellings.reduce((clean, spelling) => clean.replaceAll(spelling, '***'), text);
  return {
    host: url.host,
    async find(query, signal) {
      const request = adapter.request(query, { url, key, engine });
      let body: string;
      try {
        const response = await fetch(request.url, { ...request.init, signal });
        body = await response.text();
        if (!response.ok) throw statusError(response.status, url.host, masked(body));
      } catch (error) {
        if (error instanceof KernelError || signal.aborted) throw error;
        const message = `${url.host} could not be reached: ${reasonOf(error)}`;
        throw new KernelError('E_FETCH_FAILED', message, { cause: error, retryable: true });
      }
      const results = readResults(adapter.read(parse(body, url.host)), masked);
      const first = adapter.hasPages ? 0 : (query.page - 1) * query.count;
      return results.slice(first, first + query.count);
    },
    [Symbol.asyncDispose]: () => fetch[Symbol.asyncDispose](),
  };
}

function statusError(status: number, host: string, body: string): KernelError {
  const text = body.replaceAll(/\s+/g, ' ').trim().slice(0, 300);
  return new KernelError(`E_HTTP_${status}`, `${host} answered with HTTP ${status}${text === '' ? '' : `: ${text}`}`, {
    retryable: status === 429 || status >= 502,
  });
}

function parse(body: string, host: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new KernelError(
      'E_SEARCH_INVALID',
      `${host} did not answer with JSON. SearXNG needs the format "json" in its settings`,
    );
  }
}
