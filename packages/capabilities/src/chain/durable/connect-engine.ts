import { silentLogger } from '@ravi/kernel';
import type { Logger, RunEngine, RunWakes } from '@ravi/kernel';
import { chainKind } from './run-definition.ts';

/** Options of {@link connectEngine}. */
export interface ConnectEngineOptions {
  readonly store: { readonly wakes: RunWakes };
  readonly engine: RunEngine;
  readonly logger?: Logger;
}

/** Classes of runs, which have slots of their own: a wake names that of its run as the version. */
export const wakeVersions = { agents: 'agents.1', scripts: 'scripts.1' } as const;

/** Of the runs of one principal, those whose person has just answered go first. */
const answeredPriority = 10;

/**
 * Lets an engine wake the runs that a state store makes workable, until the result is disposed. An engine with
 * `supports.transactions` wakes them in the transaction of the store, so that no wake is lost; another one after the commit, and a look at
 * the store finds what is lost.
 * @throws KernelError of the engine if it cannot be part of transactions of the store
 */
export function connectEngine({ store, engine, logger = silentLogger }: ConnectEngineOptions): Promise<Disposable> {
  const isWithin = engine.supports.transactions;
  return store.wakes.attach({
    when: isWithin ? 'within' : 'after',
    async wake(runs, options) {
      const wakes = runs.map(({ kind, ...run }) => ({
        ...run,
        version: kind === chainKind ? wakeVersions.scripts : wakeVersions.agents,
        ...(run.reason === 'answered' ? { priority: answeredPriority } : {}),
      }));
      try {
        await engine.wake(wakes, options);
      } catch (error) {
        if (isWithin) throw error;
        logger.warn('runs could not be woken; the next look at the store finds them', { runs: wakes.length, error });
      }
    },
  });
}
