import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '@ravi/testkit';
import type { TestCertificates, TestFiles } from './test-certificates.ts';

/** Options of {@link startTestNode}. */
export interface TestNodeOptions {
  readonly certificates: TestCertificates;
  /** Default: a new certificate for loopback. */
  readonly files?: TestFiles;
  /** Further options of the configuration of the node. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** 0, the default, picks a free port. */
  readonly port?: number;
}

/** The program of a node in a process of its own. Disposing it kills it. */
export interface TestNode extends AsyncDisposable {
  /** `127.0.0.1:<port>`. */
  readonly address: string;
  readonly port: number;
  readonly pid: number;
  /** Records of its log so far. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  /** Process ids of its guests, from `/proc`. */
  guests(): readonly number[];
  kill(signal?: NodeJS.Signals): void;
  /** Resolves with the exit code, or the signal, when it has ended. */
  readonly exited: Promise<number | NodeJS.Signals>;
}

const program = fileURLToPath(new URL('../../../../apps/sandbox-node/src/main.ts', import.meta.url));
let configCount = 0;

/** Starts the program of a node on loopback, and waits until it listens. */
export async function startTestNode(options: TestNodeOptions): Promise<TestNode> {
  const { certificates, files = certificates.node(), config = {}, port = 0 } = options;
  const path = join(certificates.folder, `node-${++configCount}.json`);
  writeFileSync(path, JSON.stringify({ host: '127.0.0.1', port, ...files, ...config }));
  const child = spawn(process.execPath, ['--no-warnings', program, '--config', path], {
    env: childEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: Record<string, unknown>[] = [];
  createInterface(child.stderr).on('line', (line) => log.push(recordOf(line)));
  const exited = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  const listening = once(createInterface(child.stdout), 'line').then(([line]) => line as string);
  const line = await Promise.race([
    listening,
    exited.then((end) => {
      throw new Error(`The node ended with ${end}: ${JSON.stringify(log)}`);
    }),
  ]);
  const address = line.replace('listening on ', '');
  const pid = child.pid as number;
  return {
    address,
    port: Number(address.split(':')[1]),
    pid,
    log,
    exited,
    guests: () => childrenOf(pid),
    kill: (signal = 'SIGKILL') => void child.kill(signal),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function recordOf(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return { text: line };
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const texts = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1'));
    return texts
      .flatMap((text) => text.split(' '))
      .filter((text) => text !== '')
      .map(Number);
  } catch {
    // It has ended.
    return [];
  }
}
