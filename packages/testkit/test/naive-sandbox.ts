import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { createInterface } from 'node:readline';
import type { Sandbox, SandboxLanguage, SandboxOutcome } from '@ravi/kernel';

/** Programs that run a script as a function of their own process; they speak JSON lines on descriptors 3 and 4. */
const programs: Readonly<Record<SandboxLanguage, readonly string[]>> = {
  javascript: [
    process.execPath,
    '-e',
    `
    const { createReadStream, writeSync } = require('node:fs');
    const say = (message) => writeSync(4, JSON.stringify(message) + '\\n');
    const waiting = [];
    const host = { call: (op, payload) => new Promise((resolve, reject) => {
      say({ id: waiting.push({ resolve, reject }) - 1, op, payload });
    }) };
    require('node:readline').createInterface({ input: createReadStream('', { fd: 3 }) }).on('line', async (line) => {
      const { id, text, error, code, prelude } = JSON.parse(line);
      if (code === undefined) {
        return error === undefined ? waiting[id].resolve(text) : waiting[id].reject(new Error(error));
      }
      try {
        const names = new Function('host', prelude)(host);
        const sleep = (delay) => new Promise((resolve) => setTimeout(resolve, delay));
        const script = new Function('sleep', ...Object.keys(names), 'return (async () => {' + code + '\\n})()');
        say({ value: JSON.stringify(await script(sleep, ...Object.values(names))) });
      } catch (failed) {
        say({ failed: String(failed) });
      }
    });`,
  ],
  python: [
    'python3',
    '-c',
    `
import json, os
answers, out = os.fdopen(3), os.fdopen(4, "w", buffering=1)
def say(**message): out.write(json.dumps(message) + "\\n")
class Host:
    def call(self, op, payload):
        say(id=0, op=op, payload=payload)
        answer = json.loads(answers.readline())
        if "error" in answer: raise RuntimeError(answer["error"])
        return answer["text"]
request = json.loads(answers.readline())
setting = {"host": Host()}
exec(request["prelude"], setting)
exec("def script():\\n    " + request["code"].replace("\\n", "\\n    "), setting["names"])
try:
    say(value=json.dumps(setting["names"]["script"](), separators=(",", ":")))
except Exception as error:
    say(failed=str(error))
`,
  ],
};

/** Message of a naive program. */
interface Message {
  readonly id?: number;
  readonly op?: string;
  readonly payload?: string;
  readonly value?: string;
  readonly failed?: string;
}

/**
 * A sandbox as one writes it in an afternoon: the language's own evaluation in a child process, stopped by the clock.
 * Every test of sandboxes must fail for it.
 */
export function createNaiveSandbox(language: SandboxLanguage): Sandbox {
  return {
    name: 'naive',
    supports: { languages: [language], isolation: 'process', limits: ['wall'], detectsDeadlock: false },
    run({ code, prelude, limits, bridge, onConsole }) {
      const startedAt = performance.now();
      const { promise, resolve } = Promise.withResolvers<SandboxOutcome>();
      const [command = '', ...args] = programs[language];
      const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore', 'pipe', 'pipe'] });
      const input = child.stdio[3] as Writable;
      const say = (message: object): void => void input.write(`${JSON.stringify(message)}\n`);
      const controller = new AbortController();
      const end = (ending: { status: 'ok'; value?: string } | { status: 'crashed'; message: string }): void => {
        clearTimeout(timer);
        controller.abort();
        child.kill('SIGKILL');
        resolve({ ...ending, durationMs: performance.now() - startedAt, consoleDroppedBytes: 0 });
      };
      const timer = setTimeout(() => end({ status: 'crashed', message: 'too slow' }), limits.wallTimeMs);
      input.on('error', () => {});
      child.on('exit', () => end({ status: 'crashed', message: 'ended' }));
      createInterface({ input: child.stdout as Readable }).on('line', (text) => onConsole({ level: 'log', text }));
      createInterface({ input: child.stdio[4] as Readable }).on('line', (line) => {
        const { id, op, payload, value, failed } = JSON.parse(line) as Message;
        if (failed !== undefined) return end({ status: 'crashed', message: failed });
        if (op === undefined || payload === undefined) {
          return end({ status: 'ok', ...(value === undefined ? {} : { value }) });
        }
        void (async () => bridge({ op, payload }, { signal: controller.signal }))().then(
          (text) => say({ id, text }),
          (error) => say({ id, error: String((error as Error | undefined)?.message) }),
        );
      });
      say({ code, prelude });
      return promise;
    },
    async [Symbol.asyncDispose]() {},
  };
}
