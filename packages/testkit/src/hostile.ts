export { hostilePairs, maxBlockMs } from './hostile-pairs/hostile-pairs.ts';
export type { HostilePair } from './hostile-pairs/hostile-pair.ts';
export { recursion as hostileRecursion } from './sandbox/hostile/classes/recursion.ts';
export type { HostileCase, HostileClass } from './sandbox/hostile/hostile-case.ts';
export { hostileContract } from './sandbox/hostile/hostile-contract.ts';
export type { HostileContractOptions } from './sandbox/hostile/hostile-contract.ts';
export { leftovers as hostileLeftovers } from './sandbox/hostile/python/leftovers.ts';
