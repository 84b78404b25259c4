import type { Contender } from './contender.ts';
import { aiSdk, tanStack, utcp } from './peers.ts';
import { ravi } from './ravi.ts';

/** Runtimes of the comparison, ours first. */
export const contenders: readonly Contender[] = [ravi, aiSdk, tanStack, utcp];
