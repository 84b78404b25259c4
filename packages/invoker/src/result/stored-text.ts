import type { InvocationResult } from '@ravi/kernel';

/** The whole text of a result that was stored, while the result itself is still in somebody's hands. */
export interface StoredText {
  readonly text: string;
  readonly mediaType: string;
  /** In UTF-8. */
  readonly bytes: number;
}

const texts = new WeakMap<InvocationResult, StoredText>();

/** Keeps the text beside its result; it is forgotten with the result. */
export function rememberText(result: InvocationResult, stored: StoredText): InvocationResult {
  texts.set(result, stored);
  return result;
}

/**
 * What `result.artifactRef` holds, without reading the store, for who hands it on at once. `undefined` for any other
 * result and for one that an interceptor replaced: read the store then.
 */
export function storedTextOf(result: InvocationResult): StoredText | undefined {
  return texts.get(result);
}
