import { listAt } from './search-adapter.ts';
import type { SearchAdapter } from './search-adapter.ts';

/** Brave Search: https://api-dashboard.search.brave.com/app/documentation/web-search */
export const brave: SearchAdapter = {
  defaultUrl: 'https://api.search.brave.com/res/v1/web/search',
  hasPages: true,
  needs: ['key'],
  request({ query, count, page, language }, { url, key }) {
    const address = new URL(url);
    address.searchParams.set('q', query);
    address.searchParams.set('count', String(count));
    address.searchParams.set('offset', String(page - 1));
    address.searchParams.set('text_decorations', 'false');
    if (language !== undefined) address.searchParams.set('search_lang', language);
    return { url: address, init: { headers: { 'x-subscription-token': key } } };
  },
  read: (body) =>
    listAt(body, 'web', 'results').map(({ title, url, description, age }) => ({
      title,
      url,
      snippet: description,
      date: age,
    })),
};
