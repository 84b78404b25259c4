import type { ChildProcess } from 'node:child_process';
import { KernelError } from '@ravi/kernel';
import type { ToolContext } from '@ravi/kernel';
import { startContainer } from '../container/start-container.ts';
import type { ContainerSettings } from '../container/start-container.ts';
import { collectOutput } from '../process/command-output.ts';
import type { CollectedOutput, OutputLimits } from '../process/command-output.ts';
import type { Isolation } from '../process/isolation.ts';
import type { CommandRun, RunningCommand } from '../process/running-command.ts';
import { startProcess } from '../process/start-process.ts';

/** Settings of all commands of a source. */
export interface CommandSettings {
  readonly isolation: Isolation;
  /** Program and arguments before each command, for example of a sandbox. */
  readonly wrapper: readonly string[];
  /** Containers of the commands. Default: they run on this machine. */
  readonly container?: ContainerSettings | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: OutputLimits;
}

/** Command that has ended. */
export interface EndedCommand {
  /** Status of the program; 128 and the number of the signal if one ended it; `null` if the time limit did. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly output: CollectedOutput;
}

/**
 * Runs a command, with standard output and standard error in one stream. When it ends, at its time limit, or when the call is cancelled, all
 * processes that it started are ended too. The time limit begins when the command has started.
 * @throws KernelError `E_CANCELLED`, `E_PROGRAM_NOT_FOUND` if the program or the wrapper is not installed, `E_CONTAINER_UNAVAILABLE`,
 * `E_PROCESS_LEFT` if a process could not be ended
 */
export async function runCommand(
  settings: CommandSettings,
  run: CommandRun,
  context: ToolContext,
): Promise<EndedCommand> {
  context.check();
  const running = await startCommand(settings, run);
  const { child } = running;
  const output = collectOutput(context, settings.limits);
  const ended = endingOf(child);
  let stopped: 'time' | 'cancelled' | undefined;
  let ending: Promise<boolean> | undefined;
  const stop = (reason: 'time' | 'cancelled'): void => {
    stopped ??= reason;
    ending ??= running.stop();
  };
  const timer = setTimeout(stop, run.timeoutMs, 'time');
  const cancel = (): void => stop('cancelled');
  context.signal.addEventListener('abort', cancel, { once: true });
  if (context.signal.aborted) cancel();
  // A program that does not read its input closes it.
  child.stdin?.on('error', () => undefined).end(run.stdin);
  try {
    const reading = readOutput(child, output);
    const exitCode = await ended;
    // What the command has left running holds the pipe open and would outlive the call.
    const isGone = await (ending ?? running.leave(exitCode));
    if (!isGone) child.stdout?.destroy();
    await reading.catch(() => undefined);
    if (!isGone) throw new KernelError('E_PROCESS_LEFT', 'A process of the command could not be ended');
    const collected = await output.end();
    if (stopped === 'cancelled') context.check();
    return { exitCode: stopped === 'time' ? null : exitCode, timedOut: stopped === 'time', output: collected };
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener('abort', cancel);
  }
}

function startCommand(settings: CommandSettings, run: CommandRun): Promise<RunningCommand> {
  const { container, wrapper, isolation } = settings;
  const environment = { ...settings.environment, ...run.environment };
  if (container !== undefined) return startContainer(container, run, environment);
  // A wrapper has its own way to keep processes together, which a namespace inside of it could disturb.
  const outer: Isolation = wrapper.length === 0 ? isolation : { kind: 'mark', argv: wrapper };
  return startProcess(outer, run, environment);
}

function endingOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 128)));
  });
}

async function readOutput({ stdout }: ChildProcess, output: ReturnType<typeof collectOutput>): Promise<void> {
  if (stdout === null) return;
  for await (const part of stdout) if (!output.add(part as Buffer)) await output.drained();
}
