import { KernelError } from '@ravi/kernel';
import type { Clock } from '@ravi/kernel';
import { createSafeFetch } from '@ravi/safe-fetch';
import type { AddressLookup, SafeFetch } from '@ravi/safe-fetch';
import { hostMatcher } from './page/host-patterns.ts';
import { openSearch } from './search/open-search.ts';
import type { Search, SearchOptions } from './search/open-search.ts';

/** Limits of one page. */
export interface PageLimits {
  /** Bytes of a response after decompression. Default 16 MiB. */
  readonly bytes?: number;
  /** Milliseconds from the request to the end of the response. Default 30 000. */
  readonly fetchMs?: number;
  /** Milliseconds in which a PDF is read. Default 30 000. */
  readonly pdfMs?: number;
  /** Megabytes of memory of the process that reads a PDF. Default 512. */
  readonly pdfMemoryMb?: number;
}

/** Options of the tools for the web. */
export interface WebOptions {
  /** Hosts from which pages are fetched without approval. Default: none. */
  readonly allowHosts?: readonly string[];
  /** True to fetch pages of this machine and of private networks. Default `false`. */
  readonly allowPrivateAddresses?: boolean;
  readonly limits?: PageLimits;
  /** Service of `web_search`; without it the tool is not offered. */
  readonly search?: SearchOptions;
  /** Replaces the look-up of the system. */
  readonly lookup?: AddressLookup;
}

/** Resources that the tools for the web share. */
export interface WebParts extends AsyncDisposable {
  /** Fetches pages of all public hosts. */
  readonly fetchAny: SafeFetch;
  /** Fetches pages of the allowed hosts, and follows redirects to these only. */
  readonly fetchAllowed: SafeFetch;
  /** True for the address of an allowed host. */
  readonly isAllowed: (url: URL) => boolean;
  readonly hasAllowedHosts: boolean;
  readonly pdfLimits: { readonly timeoutMs: number; readonly memoryMb: number };
  readonly search: Search | undefined;
  readonly clock: Clock;
}

/** Opens what the tools share. @throws KernelError `E_CONFIG_INVALID` */
export function openWeb(options: WebOptions & { readonly clock: Clock }): WebParts {
  const { allowHosts = [], allowPrivateAddresses = false, limits = {}, lookup, clock } = options;
  const isAllowed = hostMatcher(allowHosts);
  const base = {
    allowPrivateAddresses,
    maxBytes: limits.bytes ?? 16 * 1024 * 1024,
    timeoutMs: limits.fetchMs ?? 30_000,
    ...(lookup === undefined ? {} : { lookup }),
  };
  const fetchAny = createSafeFetch(base);
  const fetchAllowed = createSafeFetch({ ...base, isAddressAllowed: isAllowed });
  const search = options.search === undefined ? undefined : openSearch(options.search, lookup);
  return {
    fetchAny,
    fetchAllowed,
    isAllowed,
    hasAllowedHosts: allowHosts.length > 0,
    pdfLimits: { timeoutMs: limits.pdfMs ?? 30_000, memoryMb: limits.pdfMemoryMb ?? 512 },
    search,
    clock,
    async [Symbol.asyncDispose]() {
      await fetchAny[Symbol.asyncDispose]();
      await fetchAllowed[Symbol.asyncDispose]();
      await search?.[Symbol.asyncDispose]();
    },
  };
}

/** Returns the address of a page. @throws KernelError `E_ARGUMENTS_INVALID` */
export function readAddress(text: string): URL {
  const problem = (reason: string): KernelError => new KernelError('E_ARGUMENTS_INVALID', `url ${reason}`);
  if (!URL.canParse(text)) throw problem('is not an address such as https://example.com/page');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw problem('begins neither with https: nor http:');
  if (url.username !== '' || url.password !== '') throw problem('contains a user name or password');
  return url;
}
