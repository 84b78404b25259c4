import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import type { Sandbox, SandboxOutcome } from '@ravi/kernel';

/** The program of the naive sandbox: the script is a function of its own process, with all that a process has. */
const program = `
  const waiting = new Map();
  let made = 0;
  const host = { call: (op, payload) => new Promise((resolve, reject) => {
    const id = ++made;
    waiting.set(id, { resolve, reject });
    process.send({ id, op, payload });
  }) };
  process.on('message', async (message) => {
    if (message.code === undefined) {
      const { resolve, reject } = waiting.get(message.id);
      return message.error === undefined ? resolve(message.text) : reject(Object.assign(new Error(message.error)));
    }
    try {
      const names = new Function('host', message.prelude)(host);
      const sleep = (delay) => new Promise((resolve) => setTimeout(resolve, delay));
      const script = new Function('sleep', ...Object.keys(names), 'return (async () => {' + message.code + '\\n})()');
      const value = await script(sleep, ...Object.values(names));
      process.send({ value: JSON.stringify(value) });
    } catch (error) {
      process.send({ failed: String(error) });
    }
  });`;

/**
 * A sandbox as one writes it in an afternoon: `new Function` in a child process, stopped by the clock. Whatever judges
 * sandboxes must find fault with it.
 */
export function createNaiveSandbox(): Sandbox {
  return {
    name: 'naive',
    supports: { languages: ['javascript'], isolation: 'process', limits: ['wall'], detectsDeadlock: false },
    run({ code, prelude, limits, bridge, onConsole }) {
      const startedAt = performance.now();
      const { promise, resolve } = Promise.withResolvers<SandboxOutcome>();
      const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore', 'ipc'] });
      const controller = new AbortController();
      const end = (ending: { status: 'ok'; value?: string } | { status: 'crashed'; message: string }): void => {
        clearTimeout(timer);
        controller.abort();
        child.kill('SIGKILL');
        resolve({ ...ending, durationMs: performance.now() - startedAt, consoleDroppedBytes: 0 });
      };
      const timer = setTimeout(() => end({ status: 'crashed', message: 'too slow' }), limits.wallTimeMs);
      child.on('exit', () => end({ status: 'crashed', message: 'ended' }));
      createInterface({ input: child.stdout as Readable }).on('line', (text) => onConsole({ level: 'log', text }));
      child.on('message', (message: Record<string, string>) => {
        if (message['failed'] !== undefined) return end({ status: 'crashed', message: message['failed'] });
        const { id, op, payload, value } = message;
        if (op === undefined || payload === undefined) {
          return end({ status: 'ok', ...(value === undefined ? {} : { value }) });
        }
        void (async () => bridge({ op, payload }, { signal: controller.signal }))().then(
          (text) => child.connected && child.send({ id, text }),
          (error) => child.connected && child.send({ id, error: String((error as Error | undefined)?.message) }),
        );
      });
      child.send({ code, prelude });
      return promise;
    },
    async [Symbol.asyncDispose]() {},
  };
}
