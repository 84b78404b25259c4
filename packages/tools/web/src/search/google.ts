import { listAt } from './search-adapter.ts';
import type { SearchAdapter } from './search-adapter.ts';

/** Most results of one request. */
const maxResults = 10;

/** Google Programmable Search: https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list */
export const google: SearchAdapter = {
  defaultUrl: 'https://customsearch.googleapis.com/customsearch/v1',
  hasPages: true,
  needs: ['key', 'engine'],
  request({ query, count, page, language }, { url, key, engine }) {
    const address = new URL(url);
    const num = Math.min(count, maxResults);
    address.searchParams.set('cx', engine);
    address.searchParams.set('q', query);
    address.searchParams.set('num', String(num));
    address.searchParams.set('start', String((page - 1) * num + 1));
    if (language !== undefined) address.searchParams.set('lr', `lang_${language}`);
    // As a header, the key is not part of an address that servers log.
    return { url: address, init: { headers: { 'x-goog-api-key': key } } };
  },
  read: (body) =>
    listAt(body, 'items').map(({ title, link, snippet }) => ({ title, url: link, snippet, date: undefined })),
};
