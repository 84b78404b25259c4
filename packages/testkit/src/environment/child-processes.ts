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

/**
 * Returns an environment for a program that a test starts: nothing of this process but where programs are, and where Node keeps compiled
 * code and started programs, which halves the time that a start takes. So no key of a developer switches to a real model.
 */
export function childEnvironment(): Record<string, string> {
  const names = ['PATH', 'NODE_COMPILE_CACHE', 'RAVI_HELPER_SNAPSHOTS'];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
