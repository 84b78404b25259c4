import { readFileSync, readdirSync } from 'node:fs';

/**
 * The ids of the processes that this one has started and that still run, from `/proc` (proc(5), `task/<tid>/children`).
 * @throws TypeError on systems without it
 */
export function childProcessIds(): readonly number[] {
  if (process.platform !== 'linux') throw new TypeError('Child processes can be listed on Linux only');
  const tasks = `/proc/${process.pid}/task`;
  return readdirSync(tasks)
    .flatMap((task) => readFileSync(`${tasks}/${task}/children`, 'latin1').split(' '))
    .filter((text) => text !== '')
    .map(Number);
}
