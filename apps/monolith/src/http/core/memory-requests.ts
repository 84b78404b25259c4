import type { KeyedRequest, RequestStore, StoredRequest } from '@ravi/kernel';

/** The part of a request store that requests over HTTP use. */
export type KeyedRequestStore = Pick<RequestStore, 'begin' | 'finish' | 'forget'>;

const maxRequests = 10_000;

/** Creates a store of the newest 10 000 keyed requests in memory, for a server without a state store. */
export function createMemoryRequests(): KeyedRequestStore {
  const known = new Map<string, StoredRequest>();
  const placeOf = ({ principal, key }: Pick<KeyedRequest, 'principal' | 'key'>): string => `${principal}\n${key}`;

  return {
    async begin({ fingerprint, runId, ...of }) {
      const place = placeOf(of);
      const before = known.get(place);
      if (before !== undefined) return { isNew: false, request: before };
      const [oldest] = known.keys();
      if (known.size >= maxRequests && oldest !== undefined) known.delete(oldest);
      const request = { fingerprint, runId };
      known.set(place, request);
      return { isNew: true, request };
    },
    async finish(of, response) {
      const before = known.get(placeOf(of));
      if (before !== undefined) known.set(placeOf(of), { ...before, response });
    },
    async forget(of) {
      if (known.get(placeOf(of))?.response === undefined) known.delete(placeOf(of));
    },
  };
}
