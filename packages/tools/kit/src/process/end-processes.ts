import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

const stopRounds = 5;
const killRounds = 200;
const pauseMs = 5;

/** Processes that began with one that leads a group of its own. */
export interface ProcessSearch {
  /** Process id of the first one. */
  readonly leader: number;
  /** Text that only the environment of these processes contains. */
  readonly mark: string;
}

/**
 * Ends the group of a process and, on Linux, its session, the processes with its mark and what descends from them. They are stopped before the first of
 * them is killed, so that none starts others meanwhile, and none loses the parent by which it is found. Resolves to false if some are
 * left after 200 rounds.
 */
export async function endProcesses(search: ProcessSearch): Promise<boolean> {
  if (process.platform !== 'linux') {
    signalProcess(-search.leader, 'SIGKILL');
    return true;
  }
  signalProcess(-search.leader, 'SIGSTOP');
  const stopped = stopAll(search);
  if (stopped.size === 0) return true;
  for (const id of stopped) signalProcess(id, 'SIGKILL');
  for (let round = 0; round < killRounds; round += 1) {
    const found = findProcesses(search);
    if (found.length === 0) return true;
    for (const id of found) signalProcess(id, 'SIGSTOP');
    for (const id of found) signalProcess(id, 'SIGKILL');
    await setTimeout(pauseMs);
  }
  return false;
}

// A round that finds no more says that no process is left that could start one. An endless storm is left to the rounds that kill.
function stopAll(search: ProcessSearch): ReadonlySet<number> {
  const stopped = new Set<number>();
  for (let round = 0, before = -1; round < stopRounds && before !== stopped.size; round += 1) {
    before = stopped.size;
    for (const id of findProcesses(search)) {
      if (!stopped.has(id)) signalProcess(id, 'SIGSTOP');
      stopped.add(id);
    }
  }
  return stopped;
}

function signalProcess(id: number, signal: 'SIGKILL' | 'SIGSTOP'): void {
  try {
    process.kill(id, signal);
  } catch {
    // It has ended meanwhile, or belongs to another user by now.
  }
}

interface ProcessEntry {
  readonly id: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

function findProcesses({ leader, mark }: ProcessSearch): readonly number[] {
  const entries = readdirSync('/proc').flatMap((name) => (/^\d+$/u.test(name) ? (readEntry(Number(name)) ?? []) : []));
  const found = new Set(
    entries
      .filter(({ id, group, session }) => group === leader || session === leader || isMarked(id, mark))
      .map(({ id }) => id),
  );
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const { id, parent } of entries) if (found.has(parent)) found.add(id);
  }
  found.delete(process.pid);
  return [...found];
}

// The name in the second field may contain spaces and brackets. Those that have ended and wait for their parent do not count.
function readEntry(id: number): ProcessEntry | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'latin1');
    const [state, parent, group, session] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    return { id, parent: Number(parent), group: Number(group), session: Number(session) };
  } catch {
    return undefined;
  }
}

function isMarked(id: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${id}/environ`, 'latin1').includes(mark);
  } catch {
    return false;
  }
}
