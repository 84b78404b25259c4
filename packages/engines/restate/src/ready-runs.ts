import { chunkKey, groupKey, headKey, runKey, turnsKey } from './queue-records.ts';
import type { GroupRecord, Level, QueueRecords, RunRecord, VersionQueue } from './queue-records.ts';

/** Runs that are due and that no worker has: groups take turns, within a group the highest priority is first, then the oldest. */
export interface ReadyRuns {
  /** Adds runs whose waiting wake is due. */
  add(runs: readonly RunRecord[]): Promise<void>;
  /** Removes and returns at most `count` runs of the versions, which take turns as well. The caller gives each to a worker. */
  take(versions: readonly string[], count: number): Promise<readonly RunRecord[]>;
  /** Counts runs that workers have no more, one for each group given, which may let the group have its turn. */
  release(groups: readonly string[]): Promise<void>;
  /** Returns the versions with runs that a worker may take now and could not before. */
  availableVersions(): ReadonlySet<string>;
}

type Turn = readonly [group: string, version: string];

// A chunk is read and written as a whole.
const chunkSize = 64;

/** Opens the ready runs for one request, after the head was loaded and set. */
export function openReadyRuns(records: QueueRecords, groupLimit: number): ReadyRuns {
  const enteredTurns = new Set<string>();

  function nextPlace(): number {
    const head = records.get(headKey);
    if (head === undefined) throw new TypeError('The head was not set');
    return (head.lastNumber += 1);
  }

  function groupOf(name: string): GroupRecord {
    const group = records.get(groupKey(name)) ?? { taken: 0, queues: [] };
    records.set(groupKey(name), group);
    return group;
  }

  function queueOf(name: string, version: string): VersionQueue {
    const { queues } = groupOf(name);
    const found = queues.find((queue) => queue.version === version);
    if (found !== undefined) return found;
    const queue: VersionQueue = { version, isInTurn: false, levels: [] };
    queues.push(queue);
    return queue;
  }

  const turnsOf = (version: string): readonly string[] => records.get(turnsKey(version)) ?? [];

  function setTurns(version: string, names: readonly string[]): void {
    if (names.length === 0) records.remove(turnsKey(version));
    else records.set(turnsKey(version), names);
  }

  const loadTurns = (names: readonly string[]): Promise<void> =>
    records.load(names.flatMap((name) => groupOf(name).queues.map(({ version }) => turnsKey(version))));

  /** Lets a group have turns, or forgets it if there is nothing more to know of it. */
  function settle(name: string, isNew = true): void {
    const group = groupOf(name);
    group.queues = group.queues.filter(({ levels }) => levels.length > 0);
    for (const queue of group.queues) {
      if (queue.isInTurn || group.taken >= groupLimit) continue;
      queue.isInTurn = true;
      setTurns(queue.version, [...turnsOf(queue.version), name]);
      if (isNew) enteredTurns.add(queue.version);
    }
    if (group.taken === 0 && group.queues.length === 0) records.remove(groupKey(name));
  }

  function levelOf({ levels }: VersionQueue, priority: number): Level {
    const found = levels.find((level) => level.priority === priority);
    if (found !== undefined) return found;
    const level: Level = { priority, first: 0, last: 0 };
    levels.push(level);
    return level;
  }

  /** Removes the next run of a group. Entries that count no more are forgotten. */
  async function pop(name: string, queue: VersionQueue): Promise<RunRecord | undefined> {
    for (let level = highest(queue); level !== undefined; level = highest(queue)) {
      const key = chunkKey(queue.version, name, level.priority, level.first);
      await records.load([key]);
      const chunk = records.get(key) ?? [];
      const [place, runId] = chunk.shift() ?? [];
      if (chunk.length > 0) records.set(key, chunk);
      else {
        records.remove(key);
        level.first += 1;
        if (level.first > level.last) queue.levels.splice(queue.levels.indexOf(level), 1);
      }
      if (runId === undefined) continue;
      await records.load([runKey(runId)]);
      const run = records.get(runKey(runId));
      if (run?.waiting?.place === place) return run;
    }
    return undefined;
  }

  /** Reads what the turns need, `count` runs in all. */
  async function prefetch(turns: readonly Turn[], count: number): Promise<void> {
    await records.load(turns.map(([name]) => groupKey(name)));
    const keys = turns.flatMap(([name, version]) => {
      const level = highest(queueOf(name, version));
      return level === undefined ? [] : [chunkKey(version, name, level.priority, level.first)];
    });
    await records.load(keys);
    const share = Math.ceil(count / turns.length);
    await records.load(keys.flatMap((key) => (records.get(key) ?? []).slice(0, share).map(([, id]) => runKey(id))));
  }

  function nextTurns(versions: readonly string[], count: number): readonly Turn[] {
    const lists = versions.map((version) => ({ version, names: turnsOf(version) }));
    const most = Math.min(count, Math.max(0, ...lists.map(({ names }) => names.length)));
    const turns = Array.from({ length: most }, (_, index) =>
      lists.flatMap(({ version, names }): Turn[] => {
        const name = names[index];
        return name === undefined ? [] : [[name, version]];
      }),
    );
    return turns.flat().slice(0, count);
  }

  return {
    availableVersions: () => new Set([...enteredTurns].filter((version) => turnsOf(version).length > 0)),
    async add(runs) {
      const entries = runs.flatMap(({ runId, waiting }) => {
        if (waiting === undefined) return [];
        const { group, version, priority = 0 } = waiting.wake;
        return [{ runId, waiting, group, version, priority }];
      });
      await records.load(entries.flatMap(({ group, version }) => [groupKey(group), turnsKey(version)]));
      await loadTurns(entries.map(({ group }) => group));
      const lastChunk = ({ group, version, priority }: (typeof entries)[number]): ReturnType<typeof chunkKey> =>
        chunkKey(version, group, priority, levelOf(queueOf(group, version), priority).last);
      await records.load(entries.map(lastChunk));
      for (const entry of entries) {
        const { runId, waiting, group, version, priority } = entry;
        let chunk = records.get(lastChunk(entry)) ?? [];
        if (chunk.length >= chunkSize) {
          levelOf(queueOf(group, version), priority).last += 1;
          chunk = [];
        }
        waiting.place = nextPlace();
        chunk.push([waiting.place, runId]);
        records.set(lastChunk(entry), chunk);
        settle(group);
      }
    },
    async take(versions, count) {
      await records.load(versions.map((version) => turnsKey(version)));
      const taken: RunRecord[] = [];
      while (taken.length < count) {
        const turns = nextTurns(versions, count - taken.length);
        if (turns.length === 0) break;
        await prefetch(turns, count - taken.length);
        for (const [name, version] of turns) {
          setTurns(
            version,
            turnsOf(version).filter((other) => other !== name),
          );
          const queue = queueOf(name, version);
          queue.isInTurn = false;
          const group = groupOf(name);
          const run = group.taken < groupLimit ? await pop(name, queue) : undefined;
          if (run !== undefined) {
            group.taken += 1;
            taken.push(run);
          }
          // After the other groups.
          await loadTurns([name]);
          settle(name, false);
        }
      }
      return taken;
    },
    async release(groups) {
      await records.load(groups.map((name) => groupKey(name)));
      await loadTurns(groups);
      for (const name of groups) {
        const group = groupOf(name);
        group.taken = Math.max(0, group.taken - 1);
        settle(name);
      }
    },
  };
}

function highest({ levels }: VersionQueue): Level | undefined {
  return levels.reduce<Level | undefined>(
    (best, level) => (best === undefined || level.priority > best.priority ? level : best),
    undefined,
  );
}
