import type { DurableChainResult, DurableChains } from '@ravi/capabilities';
import type { EventLog } from './event-log.ts';
import type { RunRecorder } from './run-recorder.ts';

/** Wraps durable chains so that the events of every run that is started or resumed are recorded. */
export function withEventRecording(chains: DurableChains, recorder: RunRecorder): DurableChains {
  async function follow(
    runId: string,
    facts: { readonly isResumed?: boolean },
    run: () => Promise<DurableChainResult>,
  ): Promise<DurableChainResult> {
    const log = await recorder.open(runId);
    if (log === undefined) return run();
    log.append({ type: 'run-start', kind: 'chain', ...facts });
    try {
      const result = await run();
      appendEnd(log, result);
      return result;
    } finally {
      await recorder.close(runId);
    }
  }

  return {
    start(request) {
      const { runId = `run_${crypto.randomUUID()}` } = request;
      return follow(runId, {}, () => chains.start({ ...request, runId }));
    },
    async resume(runId) {
      const run = await chains.get(runId);
      // An ended or unknown run emits no new events.
      if (run === undefined || run.outcome !== undefined) return chains.resume(runId);
      return follow(runId, { isResumed: true }, () => chains.resume(runId));
    },
    get: (runId) => chains.get(runId),
    cancel: (runId) => chains.cancel(runId),
    get active() {
      return chains.active;
    },
    [Symbol.asyncDispose]: () => chains[Symbol.asyncDispose](),
  };
}

function appendEnd(log: EventLog, { status, error, durationMs, toolCalls }: DurableChainResult): void {
  if (status === 'paused') return log.append({ type: 'run-paused', questions: [] });
  const failure = error === undefined ? {} : { error };
  log.append({ type: 'run-end', status, durationMs, toolCalls, ...failure });
}
