/** Entry of a {@link FairQueue}. */
export interface QueueEntry {
  readonly group: string;
  readonly priority: number;
}

/** Entries that are taken in turns of their groups; within a group the highest priority first, then the oldest. */
export interface FairQueue<Entry extends QueueEntry> {
  add(entry: Entry): void;
  /** Returns false if the queue does not have the entry. */
  remove(entry: Entry): boolean;
  /** Removes and returns the next entry of the first group that may have one more; that group is the last one then. */
  take(mayHaveMore: (group: string) => boolean): Entry | undefined;
}

/** Creates an empty queue. Adding, removing and taking cost the same however many entries there are. */
export function createFairQueue<Entry extends QueueEntry>(): FairQueue<Entry> {
  // A map and a set keep the order of insertion, which is the order of turns and of age.
  const groups = new Map<string, Map<number, Set<Entry>>>();

  function remove(entry: Entry): boolean {
    const levels = groups.get(entry.group);
    const entries = levels?.get(entry.priority);
    if (levels === undefined || entries === undefined || !entries.delete(entry)) return false;
    if (entries.size === 0) levels.delete(entry.priority);
    if (levels.size === 0) groups.delete(entry.group);
    return true;
  }

  return {
    add(entry) {
      const levels = groups.get(entry.group) ?? new Map<number, Set<Entry>>();
      groups.set(entry.group, levels);
      const entries = levels.get(entry.priority) ?? new Set<Entry>();
      levels.set(entry.priority, entries);
      entries.add(entry);
    },
    remove,
    take(mayHaveMore) {
      for (const [group, levels] of groups) {
        if (!mayHaveMore(group)) continue;
        const [entry] = levels.get(Math.max(...levels.keys())) ?? [];
        if (entry === undefined) continue;
        remove(entry);
        if (groups.delete(group)) groups.set(group, levels);
        return entry;
      }
      return undefined;
    },
  };
}
