import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A child process that echoes frames. */
export interface PipeFloor extends AsyncDisposable {
  /** Milliseconds per round trip over `count` sequential ones. */
  roundTripMs(count: number): Promise<number>;
}

// About the size of a call of the echo tool and of its result.
const frame = Buffer.from(`${JSON.stringify({ id: 1, op: 'call', tool: 'echo', args: { value: 1 } })}\n`);

/** Way in which the child reads: with Node's streams, or without an event loop, as our guests do. */
export type EchoChild = 'stream' | 'blocking';

const programs: Readonly<Record<EchoChild, URL>> = {
  stream: new URL('./stream-child.ts', import.meta.url),
  blocking: new URL('./blocking-child.ts', import.meta.url),
};

/** Measures the cost of a sequential call into another process without the work itself: one small frame over stdio and back. */
export function openPipeFloor(echo: EchoChild): PipeFloor {
  const child = spawn(process.execPath, [fileURLToPath(programs[echo])], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {},
  });
  const roundTrip = (): Promise<void> =>
    new Promise((resolve, reject) => {
      let left = frame.length;
      child.once('exit', refuse);
      child.stdout.on('data', take);
      child.stdin.write(frame);

      function take(chunk: Buffer): void {
        left -= chunk.length;
        if (left > 0) return;
        child.stdout.off('data', take);
        child.off('exit', refuse);
        resolve();
      }
      function refuse(): void {
        reject(new Error('The echo child ended'));
      }
    });
  return {
    async roundTripMs(count) {
      await roundTrip();
      const start = performance.now();
      for (let index = 0; index < count; index++) await roundTrip();
      return (performance.now() - start) / count;
    },
    async [Symbol.asyncDispose]() {
      const exited = child.exitCode === null ? once(child, 'exit') : undefined;
      child.stdin.end();
      await exited;
    },
  };
}
