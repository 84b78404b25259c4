import type { RecordedEvent } from '@ravi/api';
import type { Clock, Logger, Run, CompleteStateStore } from '@ravi/kernel';
import type { AgentRunner } from './agent-runner.ts';
import { countFruitlessCrashes } from './fruitless-crashes.ts';
import type { RunRecorder } from './run-recorder.ts';

/** Options of {@link createRecoverAgentRun}. */
export interface RecoverAgentRunOptions {
  readonly store: CompleteStateStore;
  readonly agentRunner: AgentRunner;
  readonly recorder: RunRecorder;
  /** Crashes in a row without progress that a run survives. */
  readonly maxFruitlessCrashes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const maxSubAgents = 1_000;

/**
 * Creates a function that recovers a run of the agent whose process ended. A run during which more than
 * `maxFruitlessCrashes` processes in a row crashed without progress fails with `E_RUN_LOST`, because it may be the cause. A
 * shutdown is not a crash.
 */
export function createRecoverAgentRun(options: RecoverAgentRunOptions): (run: Run) => Promise<void> {
  const { store, agentRunner, recorder, maxFruitlessCrashes, clock, logger } = options;

  async function isFruitless(runId: string): Promise<boolean> {
    return countFruitlessCrashes(await readWithSubAgents(runId)) >= maxFruitlessCrashes;
  }

  // Progress of a sub-agent is progress of the run.
  async function readWithSubAgents(runId: string): Promise<readonly RecordedEvent[]> {
    const own = await recorder.read(runId);
    const below: RecordedEvent[] = [];
    const { items } = await store.runs.list({ parentRunId: runId }, { limit: maxSubAgents });
    for (const { id, definition } of items) {
      if (definition.kind !== 'agent') continue;
      below.push(...(await readWithSubAgents(id)).flatMap((event) => progressOf(event, id)));
    }
    return below.length === 0
      ? own
      : merged(
          own,
          below.toSorted((left, right) => left.at - right.at),
        );
  }

  async function giveUp(run: Run): Promise<void> {
    // The log adds the ends of calls that the crashed processes began.
    const log = await recorder.open(run.id);
    try {
      await endAsLost(run);
    } finally {
      if (log !== undefined) await recorder.close(run.id);
    }
  }

  async function endAsLost({ id, sessionId }: Run): Promise<void> {
    const owner = `giving_up_${crypto.randomUUID()}`;
    const now = clock.now();
    if ((await store.runs.claim(id, { owner, leaseMs: 10_000 })) === undefined) return;
    const message = `The run failed because its process crashed ${maxFruitlessCrashes + 1} times in a row without progress (agent.maxFruitlessCrashes)`;
    const error = { code: 'E_RUN_LOST', message, retryable: false };
    const event = { type: 'run-end', runId: id, sessionId, status: 'failed', error } as const;
    await store.runs.transition(id, { from: ['running'], to: 'failed', now, owner, outcome: { error }, event });
    logger.error('run given up', { runId: id });
  }

  async function follow(runId: string, result: ReturnType<AgentRunner['recover']>): Promise<void> {
    const { status } = await (await result).result;
    logger.info('run recovered', { runId, status });
  }

  return async (run) => {
    const { id: runId } = run;
    if (!agentRunner.owns(run) || agentRunner.has(runId)) return;
    if (run.status === 'running' && (await isFruitless(runId))) return giveUp(run);
    const recovering = agentRunner.recover(run);
    follow(runId, recovering).catch((error: unknown) => logger.error('run could not be recovered', { runId, error }));
  };
}

// Events of one run stay in their order, because the clocks of its servers may differ.
function merged(own: readonly RecordedEvent[], below: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const all: RecordedEvent[] = [];
  let next = 0;
  for (const event of own) {
    for (let other = below[next]; other !== undefined && other.at <= event.at; other = below[++next]) all.push(other);
    all.push(event);
  }
  return [...all, ...below.slice(next)];
}

// With ids that are those of no other call or step.
function progressOf(event: RecordedEvent, runId: string): readonly RecordedEvent[] {
  const { type, data } = event;
  if (type === 'tool-result') return [{ ...event, data: { ...data, callId: `${runId} ${data.callId}` } }];
  // A call inside it that has not ended keeps the step from ending.
  return [];
}
