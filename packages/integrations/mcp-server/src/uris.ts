/** True if text can be the id of a run, of an approval or of an artifact. It is then one segment of a path. */
export function isId(text: string): boolean {
  return /^[\w-][\w.:-]{0,199}$/.test(text);
}

/** Templates of the resources of a server, as RFC 6570 writes them. */
export const artifactTemplate = 'ravi://artifacts/{ref}{?offset,length}';
/** Template of the result of a run. */
export const resultTemplate = 'ravi://runs/{runId}/result';

/** Resource that a URI names. */
export type ResourceAddress =
  | { readonly kind: 'artifact'; readonly ref: string; readonly offset: number; readonly length?: number }
  | { readonly kind: 'result'; readonly runId: string };

/** Returns the URI of an artifact. */
export function artifactUri(ref: string): string {
  return `ravi://artifacts/${encodeURIComponent(ref)}`;
}

/** Returns the URI of the result of a run. */
export function resultUri(runId: string): string {
  return `ravi://runs/${encodeURIComponent(runId)}/result`;
}

const artifactPattern = /^ravi:\/\/artifacts\/([\w.%-]{1,300})(?:\?([a-z0-9=&]{0,100}))?$/;
const resultPattern = /^ravi:\/\/runs\/([\w.%:-]{1,300})\/result$/;

/** Reads a URI; `undefined` if it names no resource of this server. */
export function readUri(uri: string): ResourceAddress | undefined {
  const [, runId] = resultPattern.exec(uri) ?? [];
  if (runId !== undefined) return withDecoded(runId, (decoded) => ({ kind: 'result', runId: decoded }));
  const [, ref, query = ''] = artifactPattern.exec(uri) ?? [];
  if (ref === undefined) return undefined;
  const search = new URLSearchParams(query);
  const offset = numberOf(search.get('offset')) ?? 0;
  const length = numberOf(search.get('length'));
  return withDecoded(ref, (decoded) => ({
    kind: 'artifact',
    ref: decoded,
    offset,
    ...(length === undefined ? {} : { length }),
  }));
}

function numberOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function withDecoded(text: string, make: (decoded: string) => ResourceAddress): ResourceAddress | undefined {
  try {
    const id = decodeURIComponent(text);
    return isId(id) ? make(id) : undefined;
  } catch {
    return undefined;
  }
}
