import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import type { Contender } from '../contender.ts';
import type { Answer, Operation } from '../operation.ts';
import { endProcessesOf } from './processes.ts';

/** Name of the variable with a secret in the environment of each host process. */
const secretVariable = 'CANARY_API_KEY';

/** Seconds in which a call has to return. */
export const answerSeconds = 15;
const openMs = 120_000;
const heapMegabytes = 1_024;

/** Message to a host process. */
export type ToHost =
  | { readonly type: 'open'; readonly root: string }
  | { readonly type: 'call'; readonly id: number; readonly operation: Operation };

/** Message of a host process. */
export type FromHost =
  | { readonly type: 'ready' }
  | { readonly type: 'opened' }
  | { readonly type: 'asked' }
  | { readonly type: 'answer'; readonly id: number; readonly answer: Answer }
  /** The harness itself failed: neither the tool nor the case. */
  | { readonly type: 'failed'; readonly message: string }
  /** The process asked the system for a connection. It was led to the canary server. */
  | { readonly type: 'connection'; readonly address: string };

/** Harm of a call that does not return in time, or whose answer or memory is too large. One text, because it depends on the machine which comes first. */
export const tooMuch = 'it took too much time, memory or text';

/** The host process did not answer, or it ended. Both are harm: the other work of the process would stop or be lost. */
export class HostHarm extends Error {
  override readonly name = 'HostHarm';

  constructor() {
    super(tooMuch);
  }
}

/** Process in which the tools of a contender run. */
export interface HostProcess extends AsyncDisposable {
  readonly pid: number;
  /** False after its end. */
  readonly isAlive: boolean;
  /** Addresses to which it has connected. */
  readonly connections: string[];
  /** Times that a person was asked over the open workspace. */
  readonly asked: number;
  /** Opens the tools over a workspace; those over the one before are closed. */
  open(root: string): Promise<void>;
  /** @throws HostHarm without an answer in {@link answerSeconds}, or if the process ends */
  call(operation: Operation): Promise<Answer>;
  /** Measures how much memory the process needs at most, in bytes above what it has now. Linux only. */
  startMemory(): () => number;
}

/** Options of {@link startHost}. */
export interface HostOptions {
  readonly contender: Contender;
  readonly home: string;
  readonly secret: string;
  readonly sitePort: number;
}

interface Waiting {
  readonly resolve: (answer?: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** Starts a {@link HostProcess} with an environment of its own. */
export async function startHost({ contender, home, secret, sitePort }: HostOptions): Promise<HostProcess> {
  const temporary = join(home, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const env = {
    PATH: [dirname(process.execPath), dirname(rgPath), process.env['PATH'] ?? ''].join(delimiter),
    HOME: home,
    TMPDIR: temporary,
    LANG: 'C.UTF-8',
    GEMINI_CLI_HOME: home,
    PI_OFFLINE: '1',
    [secretVariable]: secret,
  };
  const child = fork(join(import.meta.dirname, 'host-main.ts'), [contender.id, home, String(sitePort)], {
    env,
    // A call that takes all memory ends its own process, not others.
    execArgv: [`--max-old-space-size=${heapMegabytes}`],
    cwd: home,
    // Peers print notices.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk.toString()}`.slice(-4_000);
  });
  const connections: string[] = [];
  const waiting = new Map<number | 'ready' | 'opened', Waiting>();
  let isAlive = true;
  let calls = 0;
  let asked = 0;
  const wait = (key: number | 'ready' | 'opened', ms: number): Promise<Answer | undefined> => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer | undefined>();
    const timer = setTimeout(() => reject(new HostHarm()), ms);
    waiting.set(key, { resolve, reject });
    if (!isAlive) reject(new HostHarm());
    return promise.finally(() => {
      clearTimeout(timer);
      waiting.delete(key);
    });
  };
  child.on('message', (value) => {
    const message = value as FromHost;
    if (message.type === 'asked') asked += 1;
    else if (message.type === 'connection') connections.push(message.address);
    else if (message.type === 'failed') for (const { reject } of waiting.values()) reject(new Error(message.message));
    else if (message.type === 'answer') waiting.get(message.id)?.resolve(message.answer);
    else waiting.get(message.type)?.resolve();
  });
  child.once('exit', () => {
    isAlive = false;
    for (const { reject } of waiting.values()) reject(new HostHarm());
  });
  const ask = (message: ToHost): void => void (isAlive && child.send(message));
  try {
    await wait('ready', openMs);
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`${contender.name} could not start: ${errors}`, { cause: error });
  }
  const pid = child.pid as number;
  return {
    pid,
    connections,
    get asked() {
      return asked;
    },
    get isAlive() {
      return isAlive;
    },
    async open(root) {
      const opened = wait('opened', openMs);
      ask({ type: 'open', root });
      await opened;
      asked = 0;
    },
    async call(operation) {
      calls += 1;
      const answered = wait(calls, answerSeconds * 1_000);
      ask({ type: 'call', id: calls, operation });
      return (await answered) as Answer;
    },
    startMemory() {
      // proc(5): 5 sets the peak to the present size.
      writeFileSync(`/proc/${pid}/clear_refs`, '5');
      const before = memoryOf(pid, 'VmRSS');
      return () => (isAlive ? memoryOf(pid, 'VmHWM') - before : 0);
    },
    async [Symbol.asyncDispose]() {
      if (isAlive) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      endProcessesOf(home);
    },
  };
}

function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] =
    new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}
