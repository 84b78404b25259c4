import { isKernelError } from '@ravi/kernel';
import type { Logger } from '@ravi/kernel';
import { isRunning, processPlace } from '@ravi/tools-kit';
import { machineLabel, ownerLabel } from './container-arguments.ts';
import { containerDefaults } from './container-options.ts';
import type { ContainerOptions } from './container-options.ts';
import { createEngineClient } from './engine-client.ts';
import type { EngineClient } from './engine-client.ts';
import type { ContainerSettings } from './start-container.ts';

/**
 * Opens the containers of a source and removes those of an ended server; `undefined` if the source has none. A server also starts without an
 * engine: each command says that there is none.
 */
export async function openContainers(
  container: ContainerOptions | undefined,
  logger: Logger,
): Promise<ContainerSettings | undefined> {
  if (container === undefined) return undefined;
  const options = { ...containerDefaults, ...container };
  const client = createEngineClient(options.program, process.env);
  try {
    const removed = await removeLeftovers(client);
    if (typeof removed === 'string')
      logger.warn('the container engine of the shell tools does not answer', { reason: removed });
    else if (removed > 0) logger.info('containers of commands of an ended server were removed', { count: removed });
  } catch (error) {
    if (!isKernelError(error)) throw error;
    logger.warn('the client of the container engine of the shell tools is missing', { reason: error.message });
  }
  return { client, options, logger };
}

/**
 * Removes the containers of processes of this machine that ended without removing them, and returns their number. Returns the reason if
 * the engine does not say which there are.
 * @throws KernelError `E_PROGRAM_NOT_FOUND`
 */
async function removeLeftovers(client: EngineClient): Promise<number | string> {
  const listed = await client.run([
    'ps',
    '--all',
    '--no-trunc',
    `--filter=label=${machineLabel}=${processPlace}`,
    `--format={{.ID}} {{.Label "${ownerLabel}"}}`,
  ]);
  if (listed.exitCode !== 0) return listed.stderr.trim();
  const dead = listed.stdout.split('\n').flatMap((line) => {
    const [id = '', name = ''] = line.split(' ');
    return !/^[\da-f]{64}$/u.test(id) || isRunning(name) ? [] : [id];
  });
  if (dead.length > 0) await client.run(['rm', '--force', '--volumes', ...dead]);
  return dead.length;
}
