import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { KernelError } from '@ravi/kernel';
import type { Logger } from '@ravi/kernel';
import { processName, processPlace, spawnTree } from '@ravi/tools-kit';
import type { CommandRun, RunningCommand } from '../process/running-command.ts';
import { startError } from '../process/start-process.ts';
import { containerArguments, environmentText } from './container-arguments.ts';
import type { ContainerOptions } from './container-options.ts';
import { openUnnamedFile } from './engine-client.ts';
import type { ClientEnd, EngineClient } from './engine-client.ts';

const drainMs = 2_000;
const removalTries = 40;
const betweenTriesMs = 50;

/** Containers of a source. */
export interface ContainerSettings {
  readonly client: EngineClient;
  readonly options: Required<ContainerOptions>;
  readonly logger: Logger;
}

/**
 * Starts a command in a container of its own. Ending the client does not end a container, so it is removed by its name, also after its
 * own end.
 * @throws KernelError `E_PROGRAM_NOT_FOUND` without the client, `E_CONTAINER_UNAVAILABLE` without the engine or the image
 */
export async function startContainer(
  settings: ContainerSettings,
  run: CommandRun,
  environment: Readonly<Record<string, string>>,
): Promise<RunningCommand> {
  const { client } = settings;
  const name = `ravi-command-${randomUUID()}`;
  await createContainer(settings, name, run, environment);
  const hasInput = run.stdin !== undefined;
  const tree = spawnTree(client.program, ['start', '--attach', ...(hasInput ? ['--interactive'] : []), name], {
    cwd: '/',
    env: client.environment,
    stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'ignore'],
  });
  const { child } = tree;
  let removal: Promise<boolean> | undefined;
  const remove = (): Promise<boolean> => (removal ??= removeContainer(settings, name));
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error')) as [NodeJS.ErrnoException];
    await remove();
    throw startError(client.program, error);
  }
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    child,
    async stop() {
      const isGone = await remove();
      // The client passes on what it has read, and ends.
      await Promise.race([exited, pause(drainMs, undefined, { ref: false })]);
      return (await tree.end()) && isGone;
    },
    async leave(exitCode) {
      const failure = exitCode === 0 ? undefined : await startFailure(settings, name);
      const isGone = await remove();
      await tree.end();
      if (failure !== undefined) throw failure;
      return isGone;
    },
  };
}

async function createContainer(
  settings: ContainerSettings,
  name: string,
  run: CommandRun,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const { client, options } = settings;
  const { root, name: folder } = run.folder;
  const { getuid, getgid } = process;
  const file = openUnnamedFile(environmentText(environment));
  try {
    const args = containerArguments({
      name,
      owner: processName,
      machine: processPlace,
      options,
      root,
      folder: join(root, folder),
      writes: run.writes ?? [],
      argv: run.argv,
      environment,
      environmentFile: '/dev/fd/3',
      hasInput: run.stdin !== undefined,
      user: getuid === undefined || getgid === undefined ? undefined : `${getuid()}:${getgid()}`,
    });
    const { exitCode, stderr } = await client.run(args, file);
    if (exitCode === 0) return;
    // After a time limit the engine may still have created it.
    if (exitCode === null) await removeContainer(settings, name);
    throw refusal(settings, exitCode === null ? 'no answer within 60 s' : stderr.trim());
  } finally {
    closeSync(file);
  }
}

async function removeContainer({ client, logger }: ContainerSettings, name: string): Promise<boolean> {
  let reason = '';
  for (let tries = 0; tries < removalTries; tries += 1) {
    const { exitCode, stderr } = await client.run(['rm', '--force', '--volumes', name]).catch(failedRun);
    if (exitCode === 0 || /no such container/iu.test(stderr)) return true;
    reason = stderr.trim();
    if (!/already in progress/iu.test(reason)) break;
    await pause(betweenTriesMs);
  }
  logger.error('the container of a command could not be removed', { container: name, reason });
  return false;
}

function failedRun(error: unknown): ClientEnd {
  return { exitCode: null, stdout: '', stderr: error instanceof Error ? error.message : 'unknown' };
}

// A container that could not be started remains as it was created, and the client ends with a status that a command could have as well.
async function startFailure(settings: ContainerSettings, name: string): Promise<KernelError | undefined> {
  const format = '{{.State.Status}} {{.State.Error}}';
  const { exitCode, stdout } = await settings.client.run(['inspect', '--type=container', `--format=${format}`, name]);
  if (exitCode !== 0 || !stdout.startsWith('created ')) return undefined;
  return refusal(settings, stdout.slice('created '.length).trim());
}

// The reason may name folders of the host, which a model must not see: it goes to the log.
function refusal({ client, options, logger }: ContainerSettings, reason: string): KernelError {
  const { image } = options;
  const error = (message: string, retryable: boolean): KernelError =>
    new KernelError('E_CONTAINER_UNAVAILABLE', message, { cause: new Error(reason), hadNoEffect: true, retryable });
  logger.warn('the container engine did not start a command', { image, reason });
  if (/no such image|image not known/iu.test(reason)) {
    const advice = `Build it on the machine of the engine, or run: ${client.program} pull ${image}`;
    return error(`The image ${image} is missing. ${advice}`, false);
  }
  if (/cannot connect|error during connect|permission denied while trying to connect|no answer/iu.test(reason)) {
    return error('No container engine responds: start it, or set DOCKER_HOST of the server', true);
  }
  return error(
    `The container engine refused a container of the image ${image}. The log of the server has the reason`,
    false,
  );
}
