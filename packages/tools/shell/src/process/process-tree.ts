import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

const maxRounds = 200;
const pauseMs = 5;

/** Processes of a command that began with one process, which leads a group of its own. */
export interface ProcessTree {
  /** Process id of the first one. */
  readonly leader: number;
  /** Text that only the environment of these processes contains. */
  readonly mark: string;
}

/**
 * Ends all processes of a command with SIGKILL and resolves when none is left: the group, processes with the mark, and what descends from them. They are
 * stopped first, so that one that starts others cannot win. Resolves to false if some are left after 200 rounds.
 */
export async function endTree(tree: ProcessTree): Promise<boolean> {
  signalProcess(-tree.leader, 'SIGKILL');
  if (process.platform !== 'linux') return true;
  for (let round = 0; round < maxRounds; round += 1) {
    const found = findTree(tree);
    if (found.length === 0) return true;
    for (const id of found) signalProcess(id, 'SIGSTOP');
    for (const id of found) signalProcess(id, 'SIGKILL');
    await setTimeout(pauseMs);
  }
  return false;
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

function findTree({ leader, mark }: ProcessTree): readonly number[] {
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
