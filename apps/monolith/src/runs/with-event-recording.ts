import type { DurableChainResult, DurableChains } from '@ravi/capabilities';
import type { RunRecorder } from './run-recorder.ts';

/** Durable chains whose events are recorded. */
export interface RecordedChains extends DurableChains {
  /** Number of scripts that this process executes now and that are part of no other run. */
  readonly activeOutermost: number;
}

/**
 * Wraps durable chains so that the log of every run that is started or resumed is open meanwhile. The run store of the
 * recorder writes their starts and ends.
 */
export function withEventRecording(
  chains: DurableChains,
  recorder: Pick<RunRecorder, 'open' | 'close'>,
): RecordedChains {
  /** Number of calls below that a run has. One may resume it while another one, which it paused for, still returns. */
  const followers = new Map<string, number>();

  async function follow(
    runId: string,
    { isNew }: { readonly isNew: boolean },
    run: () => Promise<DurableChainResult>,
  ): Promise<DurableChainResult> {
    followers.set(runId, (followers.get(runId) ?? 0) + 1);
    try {
      await recorder.open(runId, { isNew });
      return await run();
    } finally {
      const others = (followers.get(runId) ?? 1) - 1;
      if (others > 0) followers.set(runId, others);
      else {
        followers.delete(runId);
        await recorder.close(runId);
      }
    }
  }

  return {
    start(request) {
      const { runId = `run_${crypto.randomUUID()}` } = request;
      return follow(runId, { isNew: true }, () => chains.start({ ...request, runId }));
    },
    enqueue: (request) => chains.enqueue(request),
    async resume(runId) {
      const run = await chains.get(runId);
      // An ended or unknown run emits no new events.
      if (run === undefined || run.outcome !== undefined) {
        if (!followers.has(runId)) await recorder.close(runId);
        return chains.resume(runId);
      }
      return follow(runId, { isNew: false }, () => chains.resume(runId));
    },
    // Its events belong to the run of the call.
    runWithin: chains.runWithin,
    canReplay: (language) => chains.canReplay(language),
    get: (runId) => chains.get(runId),
    blockOf: (run) => chains.blockOf(run),
    hasChanged: (runId) => chains.hasChanged(runId),
    forgetChanged: () => chains.forgetChanged(),
    cancel: (runId) => chains.cancel(runId),
    get active() {
      return chains.active;
    },
    get activeOutermost() {
      return followers.size;
    },
    [Symbol.asyncDispose]: () => chains[Symbol.asyncDispose](),
  };
}
