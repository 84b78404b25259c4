import { KernelError } from '@ravi/kernel';
import type { JsonSchema, Plugin, Tool } from '@ravi/kernel';
import { defineToolsPlugin } from '@ravi/tools-kit';
import type { ToolSelection } from '@ravi/tools-kit';
import { searchServices } from './search/open-search.ts';
import { createWebFetch } from './web-fetch.ts';
import { openWeb } from './web-parts.ts';
import type { WebOptions, WebParts } from './web-parts.ts';
import { createWebSearch } from './web-search.ts';

export type { Search, SearchOptions, SearchService } from './search/open-search.ts';
export type { SearchQuery, SearchResult } from './search/search-adapter.ts';
export { createWebFetch } from './web-fetch.ts';
export { openWeb } from './web-parts.ts';
export type { PageLimits, WebOptions, WebParts } from './web-parts.ts';
export { createWebSearch } from './web-search.ts';

/** Options of the plugin in the configuration. */
export type WebConfig = Omit<WebOptions, 'lookup'>;

const limit = (value: number, description: string): JsonSchema => ({
  type: 'integer',
  minimum: 1,
  default: value,
  description,
});
const isPrivate = (what: string): JsonSchema => ({
  type: 'boolean',
  default: false,
  description: `Allows ${what} on this machine or in a private network.`,
});

const plugin: Plugin<'toolSource', WebConfig & ToolSelection> = defineToolsPlugin<WebConfig, WebParts>({
  name: 'tools-web',
  options: {
    allowHosts: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      uniqueItems: true,
      default: [],
      description:
        'Hosts from which web_fetch reads without approval, and whose redirects it then follows to these hosts only: "example.com", "*.example.com" for the names below it, "example.com:8443" for another port than the usual one.',
    },
    allowPrivateAddresses: isPrivate('pages'),
    limits: {
      type: 'object',
      properties: {
        bytes: limit(16_777_216, 'Bytes of a response after decompression.'),
        fetchMs: limit(30_000, 'Milliseconds from the request to the end of the response.'),
        pdfMs: limit(30_000, 'Milliseconds in which a PDF is read.'),
        pdfMemoryMb: limit(512, 'Megabytes of memory of the process that reads a PDF.'),
      },
      additionalProperties: false,
    },
    search: {
      type: 'object',
      properties: {
        service: { enum: [...searchServices], description: 'Search service.' },
        url: { type: 'string', minLength: 1, description: 'Address of the service; needed for searxng.' },
        key: { type: 'string', description: 'Key of the account, for example { "$env": "BRAVE_KEY" }.' },
        engine: { type: 'string', description: 'Id of the search engine; needed for google.' },
        allowPrivateAddresses: isPrivate('a service'),
      },
      required: ['service'],
      additionalProperties: false,
      description: 'Service of web_search; without it the tool is not offered.',
    },
  },
  tools: {
    web_fetch: createWebFetch,
    web_search: ({ search }): Tool | undefined => (search === undefined ? undefined : createWebSearch(search)),
  },
  open(options, { clock }) {
    if (options.search === undefined && options.tools?.includes('web_search') === true) {
      throw new KernelError('E_CONFIG_INVALID', 'The tool web_search needs the option "search" of @ravi/tools-web');
    }
    return openWeb({ ...options, clock });
  },
});
export default plugin;
