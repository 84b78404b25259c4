import { listAt } from './search-adapter.ts';
import type { SearchAdapter } from './search-adapter.ts';

const maxResults = 20;

/** Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search. */
export const tavily: SearchAdapter = {
  defaultUrl: 'https://api.tavily.com/search',
  hasPages: false,
  needs: ['key'],
  request({ query, count, page }, { url, key }) {
    const max = Math.min(count * page, maxResults);
    return {
      url,
      init: {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, max_results: max, search_depth: 'basic' }),
      },
    };
  },
  read: (body) =>
    listAt(body, 'results').map(({ title, url, content, published_date: date }) => ({
      title,
      url,
      snippet: content,
      date,
    })),
};
