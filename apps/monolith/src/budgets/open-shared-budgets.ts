import { createSharedBudgets } from '@ravi/agents';
import type { SharedBudgets } from '@ravi/agents';
import { KernelError } from '@ravi/kernel';
import type { Parts } from '../tokens.ts';

/**
 * Creates the budgets of a day over the state store; `undefined` without one.
 * @throws KernelError `E_CONFIG_INVALID` without a state store
 */
export function openSharedBudgets({
  config,
  stateStore,
  models,
  clock,
  logger,
}: Pick<Parts, 'config' | 'stateStore' | 'models' | 'clock' | 'logger'>): SharedBudgets | undefined {
  const { budgets: limits } = config;
  const daily = [limits.server, limits.perPrincipal, limits.principals, limits.perAgent];
  if (stateStore === undefined) {
    if (daily.every((each) => each === undefined)) return undefined;
    throw new KernelError('E_CONFIG_INVALID', 'budgets needs a state store: configure plugins.stateStore');
  }
  const isLimited = daily.some((each) => each !== undefined);
  const { prices } = config.agent;
  for (const { id, model = id } of prices === undefined || !isLimited ? [] : models) {
    if (Object.hasOwn(prices ?? {}, model) || Object.hasOwn(prices ?? {}, id)) continue;
    logger.warn('agent.prices has no price for a model: limits on the cost refuse it', { model });
  }
  return createSharedBudgets({
    store: stateStore.budgets,
    // A reload may bring the first limit.
    get limits() {
      return config.budgets;
    },
    get prices() {
      return config.agent.prices;
    },
    clock,
    logger,
  });
}
