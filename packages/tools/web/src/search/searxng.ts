import { listAt } from './search-adapter.ts';
import type { SearchAdapter } from './search-adapter.ts';

/** A SearXNG instance whose settings allow the format `json`: https://docs.searxng.org/dev/search_api.html */
export const searxng: SearchAdapter = {
  hasPages: true,
  needs: ['url'],
  request({ query, page, language }, { url, key }) {
    const address = new URL(url);
    if (!address.pathname.endsWith('/search')) address.pathname = `${address.pathname.replace(/\/$/, '')}/search`;
    address.searchParams.set('q', query);
    address.searchParams.set('format', 'json');
    address.searchParams.set('pageno', String(page));
    if (language !== undefined) address.searchParams.set('language', language);
    return { url: address, init: key === '' ? {} : { headers: { authorization: `Bearer ${key}` } } };
  },
  read: (body) =>
    listAt(body, 'results').map(({ title, url, content, publishedDate }) => ({
      title,
      url,
      snippet: content,
      date: publishedDate,
    })),
};
