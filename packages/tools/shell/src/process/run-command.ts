import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { KernelError } from '@ravi/kernel';
import type { ToolContext } from '@ravi/kernel';
import { collectOutput } from './command-output.ts';
import type { CollectedOutput, OutputLimits } from './command-output.ts';
import type { Isolation } from './isolation.ts';
import { endTree } from './process-tree.ts';
import type { WorkFolder } from './work-folder.ts';

// The first process starts the command as a child: as the first of a namespace, the command itself would be deaf to most signals.
const starter = '"$@" 2>&1; exit "$?"';
const markName = 'RAVI_COMMAND';

/** Settings of all commands of a source. */
export interface CommandSettings {
  readonly isolation: Isolation;
  /** Program and arguments before each command, for example of a sandbox. */
  readonly wrapper: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: OutputLimits;
}

/** Command to run. */
export interface CommandRun {
  /** Program and arguments; no shell reads them. */
  readonly argv: readonly string[];
  readonly folder: WorkFolder;
  readonly timeoutMs: number;
  /** Text for the standard input. Default: none. */
  readonly stdin?: string | undefined;
  /** Variables in addition to those of the settings. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** Command that has ended. */
export interface EndedCommand {
  /** Status of the program; 128 and the number of the signal if one ended it; `null` if the time limit did. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly output: CollectedOutput;
}

/**
 * Runs a command in a process group of its own, with standard output and standard error in one stream. When it ends, at its time limit, or
 * when the call is cancelled, all processes that it started are ended too.
 * @throws KernelError `E_CANCELLED`, `E_PROGRAM_NOT_FOUND` if the program or the wrapper is not installed, `E_PROCESS_LEFT` if a process
 * could not be ended
 */
export async function runCommand(
  settings: CommandSettings,
  run: CommandRun,
  context: ToolContext,
): Promise<EndedCommand> {
  context.check();
  const mark = `${markName}=${randomUUID()}`;
  const prefix = prefixOf(settings);
  const child = startChild(settings, prefix, run, mark);
  const { pid } = child;
  if (pid === undefined) throw await failureOf(child, prefix);
  const output = collectOutput(context, settings.limits);
  const ended = endingOf(child);
  let stopped: 'time' | 'cancelled' | undefined;
  let ending: Promise<boolean> | undefined;
  const stop = (reason: 'time' | 'cancelled'): void => {
    stopped ??= reason;
    ending ??= endTree({ leader: pid, mark });
  };
  const timer = setTimeout(stop, run.timeoutMs, 'time');
  const cancel = (): void => stop('cancelled');
  context.signal.addEventListener('abort', cancel, { once: true });
  if (context.signal.aborted) cancel();
  try {
    const reading = readOutput(child, output);
    const exitCode = await ended;
    // What the command has left running holds the pipe open and would outlive the call. A namespace has ended with its first process.
    const isEmpty = stopped === undefined && prefix.kind === 'namespace';
    const isGone = isEmpty || (await (ending ?? endTree({ leader: pid, mark })));
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

// A wrapper has its own way to keep processes together, which a namespace inside of it could disturb.
function prefixOf({ wrapper, isolation }: CommandSettings): Isolation {
  return wrapper.length === 0 ? isolation : { kind: 'mark', argv: wrapper };
}

function startChild(
  settings: CommandSettings,
  prefix: Isolation,
  { argv, folder, environment, stdin }: CommandRun,
  mark: string,
): ChildProcess {
  const [program = '', ...rest] = [...prefix.argv, '/bin/sh', '-c', starter, 'ravi', ...argv];
  const child = spawn(program, rest, {
    cwd: folder.path,
    detached: true,
    env: { ...settings.environment, ...environment, [markName]: mark.slice(markName.length + 1) },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'ignore'],
  });
  // A program that does not read its input closes it.
  child.stdin?.on('error', () => undefined).end(stdin);
  return child;
}

async function failureOf(child: ChildProcess, { argv }: Isolation): Promise<KernelError> {
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => void child.once('error', resolve));
  const name = argv[0] ?? '/bin/sh';
  if (error.code === 'E2BIG') {
    return new KernelError('E_ARGUMENTS_INVALID', 'The command is longer than the system accepts', {
      cause: error,
      hadNoEffect: true,
    });
  }
  return new KernelError('E_PROGRAM_NOT_FOUND', `The program ${name} cannot be started (${error.code ?? 'unknown'})`, {
    cause: error,
    hadNoEffect: true,
  });
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
