import { visibleText } from '@ravi/support';
import type { RawResult, SearchResult } from './search-adapter.ts';

const maxTitleChars = 200;
const maxSnippetChars = 1_000;
const maxUrlChars = 2_000;
const maxDateChars = 40;

/** Returns the results that have an address of the web, with texts of bounded length on one line each. */
export function readResults(raw: readonly RawResult[], masked: (text: string) => string): readonly SearchResult[] {
  return raw.flatMap(({ title, url, snippet, date }) => {
    if (typeof url !== 'string' || url.length > maxUrlChars || !URL.canParse(url)) return [];
    const { protocol, href } = new URL(url);
    if (protocol !== 'https:' && protocol !== 'http:') return [];
    const line = (value: unknown, max: number): string =>
      typeof value === 'string'
        ? visibleText(
            masked(value.slice(0, 10 * max))
              .replaceAll(/\s+/g, ' ')
              .trim(),
          ).slice(0, max)
        : '';
    const shownDate = line(date, maxDateChars);
    return {
      title: line(title, maxTitleChars),
      url: masked(href),
      snippet: line(snippet, maxSnippetChars),
      ...(shownDate === '' ? {} : { date: shownDate }),
    };
  });
}
