import type { HookManager } from '@ravi/invoker';
import type { PriceTable } from '@ravi/agents';
import type { BlobStore, Clock, HookEvent, HookPayloads, JsonObject, Logger } from '@ravi/kernel';
import { costOf } from '@ravi/agents';
import { createEventLog } from './event-log.ts';
import type { EventLog } from './event-log.ts';
import type { RunEvent, RunEventType } from './run-event.ts';
import type { StoredEvents } from './stored-events.ts';

/** Writes down what runs do, from their hooks, and keeps it beyond the process. */
export interface RunRecorder extends AsyncDisposable {
  /** Begins or goes on with the log of a run. `undefined` when it is being written already. */
  open(runId: string): Promise<EventLog | undefined>;
  /** Stores what is not stored yet and forgets the log. */
  close(runId: string): Promise<void>;
  /** The log of a run that goes on in this process. */
  active(runId: string): EventLog | undefined;
  /** Events after `sequence`, from memory or the store. */
  read(runId: string, sequence: number): Promise<readonly RunEvent[]>;
  /** Gives back every artifact of a run that is over, so that the next sweep takes what nobody else has pinned. */
  release(runId: string): Promise<void>;
}

/** What a recorder works with. */
export interface RunRecorderOptions {
  readonly hooks: HookManager;
  readonly stored: StoredEvents;
  readonly blobStore: BlobStore;
  /** Takes secrets out of what events say; nothing when absent. */
  readonly redact?: (data: JsonObject) => JsonObject;
  /** Without it no answer has a cost. */
  readonly prices?: PriceTable;
  readonly clock: Clock;
  readonly logger: Logger;
}

const maxUnsaved = 200;
// What somebody may wait for long after this process has ended.
const milestones: ReadonlySet<RunEventType> = new Set<RunEventType>([
  'approval-requested',
  'approval-decided',
  'artifact',
  'run',
  'step',
]);

/** Events of hooks, by the type that they have in a log. */
const hookTypes = {
  'tool-start': 'tool-call',
  'tool-end': 'tool-result',
  'approval-requested': 'approval-requested',
  'approval-decided': 'approval-decided',
  'artifact-stored': 'artifact',
  'script-console': 'console',
  'llm-end': 'usage',
} as const satisfies { readonly [Event in HookEvent]?: RunEventType };

/** The owner of the pins that keep the artifacts of a run after it has ended. */
function keeperOf(runId: string): string {
  return `kept:${runId}`;
}

/** A recorder of the runs that are opened with it; calls outside of them are not recorded. */
export function createRunRecorder(options: RunRecorderOptions): RunRecorder {
  const { hooks, stored, blobStore, redact = (data) => data, prices, clock, logger } = options;
  const logs = new Map<string, EventLog>();
  /** Lines of console output that a run has told before and tells again. */
  const repeatedLines = new Map<string, number>();
  const writes = new Set<Promise<void>>();

  function track(runId: string, what: string, write: Promise<void>): void {
    const tracked: Promise<void> = write
      .catch((error: unknown) => logger.error(`${what} could not be stored`, { runId, error }))
      .finally(() => writes.delete(tracked));
    writes.add(tracked);
  }

  function save(runId: string, log: EventLog): void {
    track(runId, 'events of a run', stored.save(runId, log.takeUnsaved()));
  }

  // A script that goes on runs from its beginning, and what it wrote before it writes again.
  function isRepeated(runId: string, { parentId }: JsonObject): boolean {
    const left = repeatedLines.get(runId) ?? 0;
    if (parentId !== undefined || left === 0) return false;
    repeatedLines.set(runId, left - 1);
    return true;
  }

  function record<Event extends keyof typeof hookTypes>(event: Event): () => void {
    return hooks.observe(event, (payload: HookPayloads[Event]) => {
      const { runId, sessionId: _, ...data } = payload;
      const log = logs.get(runId);
      const told = data as unknown as JsonObject;
      if (log === undefined || (event === 'script-console' && isRepeated(runId, told))) return;
      log.append(hookTypes[event], event === 'llm-end' ? usageOf(data as unknown as AnswerEnd, prices) : told);
      if ('ref' in payload) track(runId, 'an artifact of a run', blobStore.pin(payload.ref, keeperOf(runId)));
    });
  }

  const unsubscribe = (Object.keys(hookTypes) as (keyof typeof hookTypes)[]).map(record);

  return {
    async open(runId) {
      if (logs.has(runId)) return undefined;
      const known = await stored.load(runId);
      if (logs.has(runId)) return undefined;
      const from = known.at(-1)?.sequence ?? 0;
      repeatedLines.set(runId, known.filter(isLineOfRun).length);
      const log = createEventLog({
        clock,
        from,
        redact,
        onAppend: (type, unsaved) => {
          if (unsaved >= maxUnsaved || milestones.has(type)) queueMicrotask(() => save(runId, log));
        },
      });
      logs.set(runId, log);
      return log;
    },
    async close(runId) {
      const log = logs.get(runId);
      if (log === undefined) return;
      save(runId, log);
      await Promise.all(writes);
      logs.delete(runId);
      repeatedLines.delete(runId);
      log.close();
    },
    active: (runId) => logs.get(runId),
    async read(runId, sequence) {
      const known = logs.get(runId)?.after(sequence);
      if (known !== undefined) return known;
      return (await stored.load(runId)).filter((event) => event.sequence > sequence);
    },
    async release(runId) {
      for (const ref of await stored.artifactsOf(runId)) {
        for (const owner of [keeperOf(runId), runId]) await blobStore.unpin(ref, owner);
      }
    },
    async [Symbol.asyncDispose]() {
      for (const stop of unsubscribe) stop();
      for (const [runId, log] of logs) {
        save(runId, log);
        log.close();
      }
      logs.clear();
      await Promise.all(writes);
    },
  };
}

function isLineOfRun({ type, data }: RunEvent): boolean {
  return type === 'console' && data['parentId'] === undefined;
}

/** The end of one answer of a model. */
type AnswerEnd = Pick<HookPayloads['llm-end'], 'step' | 'provider' | 'model' | 'usage'>;

/** What an answer used, with its cost where the model has a price. */
function usageOf({ step, provider, model, usage }: AnswerEnd, prices: PriceTable | undefined): JsonObject {
  const named = model === undefined ? undefined : costOf(prices, model, usage);
  const cost = named ?? costOf(prices, provider, usage);
  return {
    step,
    provider,
    ...(model === undefined ? {} : { model }),
    ...usage,
    ...(cost === undefined ? {} : { cost }),
  };
}
