import { closeSync, constants, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../engine/engine.ts';
import { aliveName } from './channel-folder.ts';
import { machineLabel, ownerLabel } from './specification.ts';

/** Name of this machine in labels: a folder is only looked for on the machine that created it. */
export const machine: string = hostname();

/** Removes the containers of `owner` and returns their number. */
export async function removeContainersOf(engine: Engine, owner: string): Promise<number> {
  const containers = await engine.list(`${ownerLabel}=${owner}`);
  await Promise.all(containers.map(({ id }) => engine.remove(id)));
  return containers.length;
}

/** Removes the containers and folders of this machine's sandboxes whose process is gone. */
export async function removeLeftovers(engine: Engine): Promise<void> {
  const containers = await engine.list(`${machineLabel}=${machine}`);
  const owners = new Set(containers.map(({ labels }) => labels[ownerLabel] ?? ''));
  const dead = [...owners].filter((owner) => owner !== '' && !isAlive(owner));
  await Promise.all(
    dead.map(async (owner) => {
      await removeContainersOf(engine, owner);
      await rm(owner, { recursive: true, force: true });
    }),
  );
}

// A live owner holds the FIFO open; opening one without a reader fails at once (fifo(7), ENXIO).
function isAlive(owner: string): boolean {
  try {
    closeSync(openSync(join(owner, aliveName), constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    // The sandbox of another user: leave it.
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}
