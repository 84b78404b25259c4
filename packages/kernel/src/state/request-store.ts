import type { JsonValue } from '../base/json.ts';
import type { Principal } from '../base/run-context.ts';

/** Request that its sender may repeat under the same key. */
export interface KeyedRequest {
  readonly principal: Principal;
  /** Key that the sender chose; unique to the principal. */
  readonly key: string;
  /** Digest of everything that the request asks for. */
  readonly fingerprint: string;
  /** Id for the run that the request starts. The first request with the key decides. */
  readonly runId: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Stored request with its response, if it has one. */
export interface StoredRequest {
  readonly fingerprint: string;
  readonly runId: string;
  /** Absent while the request is in progress, and if its process ended first. */
  readonly response?: JsonValue;
}

/** Stores requests by their keys, so that a repeated request has one effect. A key is kept for two days. */
export interface RequestStore {
  /**
   * Stores a request, unless the principal has used its key. Of several concurrent requests exactly one is new. A key that was
   * released keeps its `runId`, so that a request which took it meanwhile and a later one never start two runs.
   */
  begin(request: KeyedRequest): Promise<{ readonly isNew: boolean; readonly request: StoredRequest }>;
  /** Stores the response of a request. */
  finish(place: Pick<KeyedRequest, 'principal' | 'key'>, response: JsonValue): Promise<void>;
  /** Releases the key of a request that had no effect and has no response, for any other request. */
  forget(place: Pick<KeyedRequest, 'principal' | 'key'>): Promise<void>;
  /** Removes the requests whose keys are no longer kept at `now`, and returns their number. */
  removeOld(now: number): Promise<number>;
}
