import { readFileSync, readdirSync } from 'node:fs';

/**
 * Returns the memory of this process and its descendants in bytes, shared pages counted once: the sum of `Pss` of
 * `/proc/<pid>/smaps_rollup` (proc(5)).
 * @throws on systems without it
 */
export function proportionalBytes(pid: number = process.pid): number {
  let rollup: string;
  try {
    rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
  } catch (error) {
    if (pid === process.pid) throw error;
    // The process has just ended.
    return 0;
  }
  const own = Number(/^Pss: +(\d+) kB$/m.exec(rollup)?.[1]) * 1024;
  return childrenOf(pid).reduce((sum, child) => sum + proportionalBytes(child), own);
}

function childrenOf(pid: number): readonly number[] {
  const tasks = `/proc/${pid}/task`;
  try {
    return readdirSync(tasks)
      .flatMap((task) => readFileSync(`${tasks}/${task}/children`, 'latin1').split(' '))
      .filter((text) => text !== '')
      .map(Number);
  } catch {
    return [];
  }
}
