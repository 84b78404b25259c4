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

/** Most results of one request to Tavily. */
const maxTavilyResults = 20;

/** Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search. */
export const tavily: SearchAdapter = {
  defaultUrl: 'https://api.tavily.com/search',
  hasPages: false,
  needs: ['key'],
  request({ query, count, page }, { url, key }) {
    const max = Math.min(count * page, maxTavilyResults);
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

/** Most results of one request to Google. */
const maxGoogleResults = 10;

/** Google Programmable Search: https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list */
export const google: SearchAdapter = {
  defaultUrl: 'https://customsearch.googleapis.com/customsearch/v1',
  hasPages: true,
  needs: ['key', 'engine'],
  request({ query, count, page, language }, { url, key, engine }) {
    const address = new URL(url);
    const num = Math.min(count, maxGoogleResults);
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
