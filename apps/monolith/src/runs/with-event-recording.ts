import type { DurableChainResult, DurableChains } from '@ravi/capabilities';
import type { RunRecorder } from './run-recorder.ts';

/**
 * Wraps durable chains so that the log of every run that is started or resumed is open meanwhile. The run store of the
 * recorder writes their starts and ends.
 */
export function withEventRecording(
  chains: DurableChains,
  recorder: Pick<RunRecorder, 'open' | 'close'>,
): DurableChains {
  async function follow(
    runId: string,
    { isNew }: { readonly isNew: boolean },
    run: () => Promise<DurableChainResult>,
  ): Promise<DurableChainResult> {
    const log = await recorder.open(runId, { isNew });
    try {
      return await run();
    } finally {
      // Otherwise the call that opened it closes it.
      if (log !== undefined) await recorder.close(runId);
    }
  }

  return {
    start(request) {
      const { runId = `run_${crypto.randomUUID()}` } = request;
      return follow(runId, { isNew: true }, () => chains.start({ ...request, runId }));
    },
    async resume(runId) {
      const run = await chains.get(runId);
      // An ended or unknown run emits no new events.
      if (run === undefined || run.outcome !== undefined) return chains.resume(runId);
      return follow(runId, { isNew: false }, () => chains.resume(runId));
    },
    // Its events belong to the run of the call.
    runWithin: chains.runWithin,
    get: (runId) => chains.get(runId),
    hasChanged: (runId) => chains.hasChanged(runId),
    cancel: (runId) => chains.cancel(runId),
    get active() {
      return chains.active;
    },
    [Symbol.asyncDispose]: () => chains[Symbol.asyncDispose](),
  };
}
