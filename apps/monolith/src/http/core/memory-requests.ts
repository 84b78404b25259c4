import type { JsonValue, KeyedRequest, Principal, RequestStore, StoredRequest } from '@ravi/kernel';
import { problem } from './problem.ts';

/** The part of a request store that requests over HTTP use. */
export type KeyedRequestStore = Pick<RequestStore, 'begin' | 'finish' | 'forget'>;

/** Limits of {@link createMemoryRequests} for each principal. */
export interface MemoryRequestLimits {
  /** Requests; the oldest response makes room for a new request. */
  readonly maxRequests: number;
  /** Bytes of all responses. Of a request whose response is dropped the key stays, so that its effect does not happen twice. */
  readonly maxBytes: number;
}

interface Known {
  readonly fingerprint: string;
  readonly runId: string;
  readonly begunAt: number;
  readonly isFinished: boolean;
  /** JSON text. */
  readonly response?: string;
}

interface Owned {
  /** In the order in which they began. */
  readonly requests: Map<string, Known>;
  bytes: number;
}

const keptMs = 172_800_000;
const bytesPerCharacter = 2;
const defaultLimits: MemoryRequestLimits = { maxRequests: 10_000, maxBytes: 33_554_432 };

/**
 * Creates a store of keyed requests in memory, for a server without a state store. It keeps them for two days. A principal
 * has a share of its own: requests of others never displace its requests, and no request displaces one that is in progress.
 */
export function createMemoryRequests(limits: MemoryRequestLimits = defaultLimits): KeyedRequestStore {
  const { maxRequests, maxBytes } = limits;
  const owners = new Map<Principal, Owned>();

  function remove(owned: Owned, key: string): void {
    owned.bytes -= sizeOf(owned.requests.get(key));
    owned.requests.delete(key);
  }

  function removeOld(now: number): void {
    for (const [principal, owned] of owners) {
      for (const [key, { begunAt }] of owned.requests) {
        if (begunAt + keptMs >= now) break;
        remove(owned, key);
      }
      if (owned.requests.size === 0) owners.delete(principal);
    }
  }

  function makeRoom(owned: Owned, principal: Principal): void {
    if (owned.requests.size < maxRequests) return;
    for (const [key, { isFinished }] of owned.requests) {
      if (isFinished) return remove(owned, key);
    }
    const message = `${principal} has ${maxRequests} requests with an Idempotency-Key without a response`;
    throw problem('E_BUSY', `${message}. Wait until they end, or send this one without a key`, 1_000);
  }

  function dropResponses(owned: Owned): void {
    for (const [key, { response, ...known }] of owned.requests) {
      if (owned.bytes <= maxBytes) return;
      if (response === undefined) continue;
      owned.bytes -= sizeOf({ response });
      owned.requests.set(key, known);
    }
  }

  function find({ principal, key }: Pick<KeyedRequest, 'principal' | 'key'>): Known | undefined {
    return owners.get(principal)?.requests.get(key);
  }

  return {
    async begin({ principal, key, fingerprint, runId, now }) {
      removeOld(now);
      const before = find({ principal, key });
      if (before !== undefined) return { isNew: false, request: storedRequest(before) };
      const owned = owners.get(principal) ?? { requests: new Map<string, Known>(), bytes: 0 };
      makeRoom(owned, principal);
      owners.set(principal, owned);
      owned.requests.set(key, { fingerprint, runId, begunAt: now, isFinished: false });
      return { isNew: true, request: { fingerprint, runId } };
    },
    async finish(place, response) {
      const owned = owners.get(place.principal);
      const before = find(place);
      if (owned === undefined || before === undefined) return;
      const text = JSON.stringify(response);
      owned.bytes += sizeOf({ response: text }) - sizeOf(before);
      owned.requests.set(place.key, { ...before, isFinished: true, response: text });
      dropResponses(owned);
    },
    async forget(place) {
      const owned = owners.get(place.principal);
      // Requests with one key take turns, so none has taken this one.
      if (owned !== undefined && find(place)?.isFinished === false) remove(owned, place.key);
    },
  };
}

function sizeOf(known: Pick<Known, 'response'> | undefined): number {
  return (known?.response?.length ?? 0) * bytesPerCharacter;
}

function storedRequest({ fingerprint, runId, response }: Known): StoredRequest {
  const request = { fingerprint, runId };
  return response === undefined ? request : { ...request, response: JSON.parse(response) as JsonValue };
}
