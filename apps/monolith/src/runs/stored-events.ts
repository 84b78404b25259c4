import type { RecordedEvent } from '@ravi/api';
import type { CompleteStateStore, JournaledCall, JournalItem, Run, RunEventId, StoredRunEvent } from '@ravi/kernel';
import { artifactRefs } from './run-details.ts';
import { formatEventId, parseEventId } from './shown-events.ts';

/** Record of a run: what happened, and the calls with side effects as its journal has them. */
export interface RunRecord {
  /** Oldest first. */
  readonly events: readonly RecordedEvent[];
  /** Calls of the run, and of the scripts that its calls ran. */
  readonly calls: readonly JournaledCall[];
  /** Ids of the runs of its scripts and sub-agents, by the id of the call that they work for. */
  readonly childRuns: ReadonlyMap<string, string>;
  /** Records of its sub-agents. */
  readonly subAgents: readonly SubAgentRecord[];
}

/** Record of a sub-agent. */
export interface SubAgentRecord extends RunRecord {
  readonly run: Run;
}

/** Reader of the events of runs that are stored. */
export interface StoredEvents {
  /** Returns the events after an id, oldest first, at most 1 000; an empty list if there is none. */
  page(runId: string, after?: string): Promise<readonly RecordedEvent[]>;
  /** Returns every event of a run, oldest first. */
  load(runId: string): Promise<readonly RecordedEvent[]>;
  recordOf(runId: string): Promise<RunRecord>;
  /** Returns every artifact that the record of a run names, each once. */
  artifactsOf(runId: string): Promise<readonly string[]>;
}

const pageSize = 1_000;

/** Creates a reader over a state store. Damaged events are left out. */
export function createStoredEvents({
  events,
  journal,
  runs,
}: Pick<CompleteStateStore, 'events' | 'journal' | 'runs'>): StoredEvents {
  async function page(runId: string, after?: string): Promise<readonly RecordedEvent[]> {
    let from: RunEventId | undefined = after === undefined ? undefined : parseEventId(after);
    do {
      const found = await events.list(runId, { limit: pageSize, ...(from === undefined ? {} : { after: from }) });
      if (found.items.length > 0) return found.items.map(shown);
      from = found.next;
    } while (from !== undefined);
    return [];
  }

  async function load(runId: string): Promise<readonly RecordedEvent[]> {
    const all: RecordedEvent[] = [];
    for (let found = await page(runId); found.length > 0; found = await page(runId, all.at(-1)?.id)) all.push(...found);
    return all;
  }

  // A script that a call of an agent runs has a run and a journal of its own, and no events.
  async function callsOf(runId: string, children: readonly Run[]): Promise<readonly JournaledCall[]> {
    const { items } = await journal.entries(runId);
    const scripts = children.filter(({ definition }) => definition.kind === 'chain');
    const inner = await Promise.all(scripts.map(async ({ id }) => callsOf(id, await childrenOf(id))));
    return [...items.filter((item) => item.type === 'call'), ...inner.flat()];
  }

  async function childrenOf(runId: string): Promise<readonly Run[]> {
    return (await runs.list({ parentRunId: runId }, { limit: 1_000 })).items;
  }

  async function recordOf(runId: string): Promise<RunRecord> {
    const children = await childrenOf(runId);
    const subAgents: SubAgentRecord[] = [];
    // In sequence, because each reads all of its events.
    for (const run of children) {
      if (run.definition.kind === 'agent') subAgents.push({ run, ...(await recordOf(run.id)) });
    }
    const childRuns = new Map(children.flatMap(({ id, definition: { details } }) => entryOf(details?.['callId'], id)));
    return { events: await load(runId), calls: await callsOf(runId, children), childRuns, subAgents };
  }

  return {
    page,
    load,
    recordOf,
    async artifactsOf(runId) {
      const { items } = await journal.entries(runId);
      return [...new Set([...items.flatMap(artifactsIn), ...artifactRefs(await load(runId))])];
    },
  };
}

function entryOf(callId: unknown, runId: string): readonly (readonly [string, string])[] {
  return typeof callId === 'string' ? [[callId, runId]] : [];
}

function shown({ epoch, n, ...event }: StoredRunEvent): RecordedEvent {
  return { id: formatEventId({ epoch, n }), ...event } as unknown as RecordedEvent;
}

// A process that dies may leave an artifact in only one of these places.
function artifactsIn(item: JournalItem): readonly string[] {
  if (item.type === 'call') {
    const { artifactRef, files = [] } = item.result ?? {};
    return [...(artifactRef === undefined ? [] : [artifactRef]), ...files.map((file) => file.artifactRef)];
  }
  const { kind, value } = item.event;
  return kind === 'artifact' ? [value as string] : [];
}
