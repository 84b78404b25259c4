import { connectEngine, startRunRecovery } from '@ravi/capabilities';
import type { RunRecovery, RunRecoveryOptions } from '@ravi/capabilities';
import { createMemoryRunEngine } from '@ravi/engine-memory';

/** Starts recovery with an engine of its own, connected to the store. Disposing it ends the engine too. */
export async function startRecovery(options: Omit<RunRecoveryOptions, 'engine'>): Promise<RunRecovery> {
  const { store, clock, logger } = options;
  const engine = createMemoryRunEngine({ clock, logger });
  const connection = await connectEngine({ store, engine, logger });
  const recovery = startRunRecovery({ engine, ...options });
  return {
    ...recovery,
    async [Symbol.asyncDispose]() {
      connection[Symbol.dispose]();
      await recovery[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
    },
  };
}
