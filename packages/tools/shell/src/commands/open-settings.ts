import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { PluginContext } from '@ravi/kernel';
import { environmentText } from '../container/container-arguments.ts';
import { containerDefaults } from '../container/container-options.ts';
import { createEngineClient } from '../container/engine-client.ts';
import { removeLeftovers } from '../container/leftovers.ts';
import type { ContainerSettings } from '../container/start-container.ts';
import type { ShellToolsOptions } from '../options.ts';
import { createEnvironment } from '../process/environment.ts';
import { findIsolation } from '../process/isolation.ts';
import type { CommandSettings } from './run-command.ts';

type Parts = Pick<PluginContext, 'logger'>;

/**
 * Makes the settings of the commands of a source.
 * @throws KernelError `E_CONFIG_INVALID` for options that exclude each other, and for a variable that a container cannot have
 */
export async function openSettings(options: ShellToolsOptions, { logger }: Parts): Promise<CommandSettings> {
  const { passEnv = [], env = {}, wrapper = [], outputBytes = 65_536, artifactBytes = 67_108_864 } = options;
  if (options.container !== undefined && wrapper.length > 0) {
    throw new KernelError(
      'E_CONFIG_INVALID',
      'The options "container" and "wrapper" exclude each other: set one of them',
    );
  }
  const container = await openContainers(options, { logger });
  const environment = createEnvironment({ own: process.env, passEnv, env, isContained: container !== undefined });
  if (container !== undefined) environmentText(environment);
  const isolation = await findIsolation();
  if (container === undefined && isolation.kind === 'mark' && wrapper.length === 0) {
    logger.warn('commands run without a PID namespace: a process that hides on purpose can outlive its call', {});
  }
  return { isolation, wrapper, container, environment, limits: { textBytes: outputBytes, artifactBytes } };
}

/**
 * Returns the folder in which reports are made.
 * @throws KernelError `E_CONFIG_INVALID` if it is not a folder
 */
export function reportParentOf({ reportFolder }: ShellToolsOptions, baseDir: string): string {
  if (reportFolder === undefined) return tmpdir();
  const path = resolve(baseDir, reportFolder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  const shown = JSON.stringify(reportFolder);
  throw new KernelError('E_CONFIG_INVALID', `The folder ${shown} of "reportFolder" does not exist, or is not a folder`);
}

// A server also starts without an engine: each command says that there is none.
async function openContainers(
  { container }: ShellToolsOptions,
  { logger }: Parts,
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
