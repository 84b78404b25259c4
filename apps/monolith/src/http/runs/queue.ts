import { api } from '@ravi/api';
import type { ResolvedConfig } from '@ravi/host';
import type { RunEngine } from '@ravi/kernel';
import type { DurableServices } from '../../runs/durable-services.ts';
import { implement } from '../core/implement.ts';
import type { Endpoint } from '../core/implement.ts';

/** Services of {@link queueOperations}. */
export interface QueueServices {
  readonly engine: Pick<RunEngine, 'name' | 'supports' | 'figures'>;
  readonly config: Pick<ResolvedConfig, 'runs'>;
  readonly durable: Pick<DurableServices, 'agentRunner' | 'chains'>;
}

/** Implements the operations on the run engine. */
export function queueOperations({ engine, config, durable }: QueueServices): readonly Endpoint[] {
  return [
    implement(api.queue.get, async () => {
      const { groups, ...runs } = await engine.figures();
      const { agentRunner, chains } = durable;
      return {
        engine: engine.name,
        isShared: engine.supports.processes,
        runs,
        // The state store wakes each run in the group of its principal.
        principals: groups.map(({ group: principal, ready, taken }) => ({ principal, ready, taken })),
        server: {
          slots: config.runs.slots,
          executing: { agents: agentRunner.active, scripts: chains.activeOutermost },
        },
      };
    }),
  ];
}
