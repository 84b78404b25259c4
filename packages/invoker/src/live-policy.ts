import { defaultChainPolicy, defineChainPolicy } from '@ravi/kernel';
import type { ChainPolicy } from '@ravi/kernel';

/** A policy that is replaced while its readers keep the same object. */
export interface LivePolicy {
  /** Its fields return the current values. A copy keeps those of its moment. */
  readonly view: ChainPolicy;
  /** The current values, frozen: for a session that opens now. */
  readonly current: ChainPolicy;
  /** @throws KernelError `E_CONFIG_INVALID` for a policy that contradicts itself; the previous one stays */
  replace(policy: Partial<ChainPolicy>): void;
}

/** Creates a live policy; absent fields have their defaults. @throws KernelError `E_CONFIG_INVALID` */
export function createLivePolicy(initial: Partial<ChainPolicy> = {}): LivePolicy {
  let current = defineChainPolicy(initial);
  const view = {};
  for (const field of Object.keys(defaultChainPolicy) as (keyof ChainPolicy)[]) {
    Object.defineProperty(view, field, { enumerable: true, get: () => current[field] });
  }
  return {
    view: Object.freeze(view) as ChainPolicy,
    get current() {
      return current;
    },
    replace(policy) {
      current = defineChainPolicy(policy);
    },
  };
}
