import { tmpdir } from 'node:os';
import { KernelError } from '@ravi/kernel';
import type { PluginContext } from '@ravi/kernel';
import { configuredFolder } from '@ravi/tools-kit';
import { environmentText } from '../container/container-arguments.ts';
import { openContainers } from '../container/open-containers.ts';
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
  const container = await openContainers(options.container, logger);
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
  return reportFolder === undefined ? tmpdir() : configuredFolder('reportFolder', reportFolder, baseDir);
}
