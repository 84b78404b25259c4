import { problem } from './problem.ts';

/**
 * The parameters of a query by their names; whatever a name is, it stands among them and not on their prototype.
 * @throws KernelError `E_REQUEST_INVALID` for one that is given twice
 */
export function readQuery(url: string): Record<string, string> {
  if (!url.includes('?')) return {};
  const given = [...new URL(url).searchParams];
  const query = Object.fromEntries(given);
  if (Object.keys(query).length === given.length) return query;
  throw problem('E_REQUEST_INVALID', 'A parameter of the query is given twice');
}
