import { globSync } from 'node:fs';
import { join } from 'node:path';
import MiniSearch from 'minisearch';

/** Words that readers type, each with a part of the address of a page that a search for it must list. */
const wanted: readonly (readonly [query: string, address: string])[] = [
  ['mcp', '/guides/mcp'],
  ['openapi', '/guides/openapi'],
  ['streaming', '/guides/streaming'],
  ['nextjs', '/guides/bundling'],
  ['next.js', '/guides/bundling'],
  ['bundler', '/guides/bundling'],
  ['approve', '/start/approvals'],
  ['E_BUDGET_EXHAUSTED', '/reference/errors'],
];

/** Options of the site's index. The same function has to split pages and queries. */
export const searchOptions: { readonly fields: string[]; readonly tokenize: (text: string) => string[] } = {
  fields: ['title', 'titles', 'text'],
  tokenize: (text) => {
    const words = text.split(/[^\p{L}\p{N}_$]+/u).filter((word) => word !== '');
    // "Next.js" is found as "next", "js" and "nextjs".
    const joined = text.match(/[\p{L}\p{N}]+(?:\.[\p{L}\p{N}]+)+/gu) ?? [];
    return [...words, ...joined.map((name) => name.replaceAll('.', ''))];
  },
};

/** Searches the index of a built site as its page does. Returns what is not found. */
export async function searchProblems(site: string): Promise<readonly string[]> {
  const [path] = globSync('assets/chunks/@localSearchIndex*.js', { cwd: site });
  if (path === undefined) return ['The site has no search index'];
  const { default: index } = (await import(join(site, path))) as { readonly default: string };
  const search = MiniSearch.loadJSON<{ readonly id: string }>(index, {
    ...searchOptions,
    searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } },
  });
  return wanted.flatMap(([query, address]) => {
    const hits = search
      .search(query)
      .slice(0, 10)
      .map(({ id }) => String(id));
    return hits.some((id) => id.includes(address))
      ? []
      : [`A search for "${query}" does not list ${address}: ${hits.join(', ')}`];
  });
}
