import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startError } from '../process/start-process.ts';

const maxRunMs = 60_000;
const maxTextBytes = 65_536;
const ofClient = /^(?:DOCKER_\w+|HOME|PATH|SSH_AUTH_SOCK|XDG_RUNTIME_DIR)$/u;

/** End of a run of the client. */
export interface ClientEnd {
  /** `null` if it was ended after 60 s. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Client of a container engine: a program such as `docker`. */
export interface EngineClient {
  readonly program: string;
  /** Variables of the server that say where the engine is. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs the client. `input` is the open file `/dev/fd/3` of it. @throws KernelError `E_PROGRAM_NOT_FOUND`, `E_ARGUMENTS_INVALID` for too long arguments */
  run(args: readonly string[], input?: number): Promise<ClientEnd>;
}

/** Creates a client with an environment of its own: nothing of a command is in it. */
export function createEngineClient(program: string, own: NodeJS.ProcessEnv): EngineClient {
  const environment = Object.fromEntries(
    Object.entries(own).filter((entry): entry is [string, string] => entry[1] !== undefined && ofClient.test(entry[0])),
  );
  return {
    program,
    environment,
    run(args, input) {
      const { promise, resolve, reject } = Promise.withResolvers<ClientEnd>();
      const child = spawn(program, [...args], {
        cwd: '/',
        env: environment,
        timeout: maxRunMs,
        killSignal: 'SIGKILL',
        stdio: ['ignore', 'pipe', 'pipe', input ?? 'ignore'],
      });
      const texts = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const) {
        child[name]?.on('data', (chunk: Buffer) => {
          texts[name] = `${texts[name]}${chunk.toString('utf8')}`.slice(-maxTextBytes);
        });
      }
      child.once('error', (error: NodeJS.ErrnoException) => reject(startError(program, error)));
      child.once('close', (exitCode) => resolve({ exitCode, ...texts }));
      return promise;
    },
  };
}

/**
 * Opens a file with a text that no other program can open by a name: variables of a command, which must not be in the arguments of a process.
 * Close the descriptor after use.
 */
export function openUnnamedFile(text: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'ravi-variables-'));
  try {
    const file = openSync(join(folder, 'variables'), 'wx+', 0o600);
    writeSync(file, text, 0);
    return file;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
