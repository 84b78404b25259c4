import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A process that starts a program has no command line for a moment. */
const absentPolls = 5;
const pollMs = 50;

/** Returns the ids of processes that have a text in their command line. Linux only. */
function processesWith(text: string): readonly number[] {
  return processIds().filter((id) => fileOf(id, 'cmdline').includes(text));
}

/** True if such a process is still there after some time for its end. */
export async function isLeft(text: string): Promise<boolean> {
  let absent = 0;
  for (let polls = 0; polls < 30 && absent < absentPolls; polls += 1) {
    absent = processesWith(text).length === 0 ? absent + 1 : 0;
    await delay(pollMs);
  }
  return absent < absentPolls;
}

/** Ends every process whose home is this folder, which belongs to one measurement. */
export function endProcessesOf(home: string): void {
  end(processIds().filter((id) => fileOf(id, 'environ').includes(`HOME=${home}\0`)));
}

/** Ends every process that has the text in its command line. The text is one that only this measurement uses. */
export function endProcessesWith(text: string): void {
  end(processesWith(text));
}

function end(ids: readonly number[]): void {
  for (const id of ids) {
    try {
      process.kill(id, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

function processIds(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function fileOf(id: number, name: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${id}/${name}`, 'utf8');
  } catch {
    // It has ended, or belongs to another user.
    return '';
  }
}
