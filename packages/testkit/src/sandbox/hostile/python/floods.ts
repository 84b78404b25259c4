import type { HostileCase, HostileClass } from '../hostile-case.ts';

const logged = (name: string, code: string): HostileCase => ({
  name,
  code: `import sys\n${code}\nreturn "through"`,
  value: '"through"',
  limits: { cpuTimeMs: 8_000 },
});

const called = (name: string, code: string): HostileCase => ({
  name,
  code,
  meets: ['calls'],
  limits: { maxCalls: 200, maxInFlight: 8, memoryBytes: 268_435_456 },
});

const waiting = (name: string, code: string): HostileCase => ({
  name,
  code,
  meets: ['wall'],
  limits: { wallTimeMs: 300 },
});

const roomy = { cpuTimeMs: 8_000, memoryBytes: 402_653_184 };

/** Floods of output and calls, deep and huge values, and waits without end. */
export const floods: HostileClass = {
  name: 'floods, huge values and long waits',
  kind: 'resource',
  cases: [
    logged('a hundred thousand lines', 'for n in range(10 ** 5): print("line", n)'),
    logged('lines that are empty', 'for n in range(10 ** 5): print()'),
    logged('one line of ten megabytes', 'print("x" * 10 ** 7)'),
    logged('errors and output by turns', 'for n in range(2 * 10 ** 4): print(n, file=[sys.stdout, sys.stderr][n % 2])'),
    logged('a line without an end', 'for n in range(10 ** 4): sys.stdout.write("x" * 1000)'),
    logged(
      'logs and warnings',
      'import logging, warnings\nfor n in range(5000):\n    logging.error("line %d", n)\n    warnings.warn(str(n))',
    ),
    called('a hundred thousand calls in a row', 'for n in range(10 ** 5): call("echo", "")'),
    called(
      'a hundred thousand calls at once',
      'import asyncio\nawait asyncio.gather(*[call("echo", str(n)) for n in range(10 ** 5)])',
    ),
    called('calls that fail, and are made again', 'while True:\n    try: call("fail", "")\n    except Exception: pass'),
    called('a script cannot catch the limit', 'while True:\n    try: call("echo", "")\n    except BaseException: pass'),
    called(
      'calls made by threads',
      'import threading\nfor _ in range(8): threading.Thread(target=lambda: [call("echo", "") for _ in range(1000)]).start()\nimport time\ntime.sleep(1e6)',
    ),
    waiting('a sleep without end', 'import time\ntime.sleep(1e6)'),
    waiting('a sleep of the loop without end', 'import asyncio\nawait asyncio.sleep(1e6)'),
    waiting('a call that is never answered', 'call("never", "")'),
    waiting('a FIFO without a writer', 'import os\nos.mkfifo("/workspace/fifo")\nopen("/workspace/fifo").read()'),
    waiting(
      'a lock that is never released',
      'import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()',
    ),
    {
      name: 'a value five thousand levels deep',
      code: 'deep = []\nfor _ in range(5000): deep = [deep]\nreturn deep',
      ends: ['error'],
    },
    {
      name: 'a value a million levels deep',
      code: 'deep = []\nfor _ in range(10 ** 6): deep = [deep]\nreturn deep',
      ends: ['error', 'crashed', 'limit'],
      limits: roomy,
    },
    { name: 'a value of fifty megabytes', code: 'return "x" * (5 * 10 ** 7)', meets: ['result'], limits: roomy },
    {
      name: 'a value that holds one part a million times',
      code: 'wide = [0]\nfor _ in range(60): wide = [wide, wide]\nreturn wide',
      meets: ['result', 'cpu', 'memory'],
      limits: { ...roomy, cpuTimeMs: 1_000 },
    },
    {
      name: 'an error of fifty megabytes',
      code: 'raise ValueError("x" * (5 * 10 ** 7))',
      ends: ['error', 'limit'],
      limits: roomy,
    },
    {
      name: 'an argument of ten megabytes',
      code: 'return len(call("echo", "x" * 10 ** 7))',
      value: '10000000',
      limits: roomy,
    },
    {
      name: 'an argument beyond every frame',
      code: 'return call("length", "x" * 10 ** 8)',
      ends: ['error', 'crashed', 'limit'],
      limits: roomy,
    },
    {
      name: 'an argument a hundred thousand levels deep',
      code: 'return len(call("parse", "[" * 10 ** 5 + "]" * 10 ** 5))',
      ends: ['ok', 'error'],
      limits: roomy,
      calls: 1,
    },
    {
      name: 'an answer a hundred thousand levels deep',
      code: 'import json\ntry:\n    json.loads(call("echo", "[" * 10 ** 5 + "]" * 10 ** 5))\nexcept RecursionError:\n    return "deep"',
      value: '"deep"',
      // Its stack may be full before the interpreter counts that many levels.
      endsWithoutSystem: ['error'],
      limits: roomy,
    },
    {
      name: 'an operation of a megabyte',
      code: 'return call("x" * 10 ** 6, "short")',
      value: '"short"',
      limits: roomy,
    },
  ],
};
