import type { HostileCase, HostileClass } from '../hostile-case.ts';
import { script } from './script.ts';

/** A message that the host cannot read, or does not expect, ends the run and reaches no tool. */
const broken = (name: string, code: string, extra: Partial<HostileCase> = {}): HostileCase => ({
  name,
  code: script(`${code}\nwhile True: pass`),
  ends: ['crashed'],
  calls: 0,
  ...extra,
});

/** The runtime's own first call has the number 1. */
const second = 'record("c", "2", "echo", "forged")';

/** Frames that a script writes to the channel of its runtime. It may forge what it could say anyway, and nothing else. */
export const forgery: HostileClass = {
  name: 'forged frames',
  kind: 'escape',
  cases: [
    broken('bytes that are not a frame', 'raw(b"\\xff" * 64)'),
    broken('a frame longer than any may be', 'raw((1 << 31).to_bytes(4, "little"))'),
    broken('a frame of no kind', 'send("?")'),
    broken('an empty frame', 'send("")'),
    broken('a frame that says it is ready', 'send("y")'),
    broken('a start, as only the host sends it', 'send(record("", "1", "1", "x", "names = {}", "return 1"))'),
    broken('an answer, as only the host sends it', 'send("m" + record("a", "1", "forged"))'),
    broken('a failure, as only the host sends it', 'send("m" + record("f", "1", "E", "m", "c"))'),
    broken('a record that breaks off', 'send("m" + record("c", "2", "echo", "forged")[:-3])'),
    broken('a field with a length below nothing', 'send("mc-1:2")'),
    broken('a field with a length beyond numbers', 'send("mc" + "9" * 400 + ":2")'),
    broken('text that is not UTF-8', 'raw((9).to_bytes(4, "little") + b"mc1:2\\xff\\xfe\\xfd\\xfc")'),
    broken('a call with a number that was', 'send("m" + record("c", "1", "echo", "forged"))'),
    broken('a call with a number to come', 'send("m" + record("c", "3", "echo", "forged"))'),
    broken('a call with an invalid number', 'send("m" + record("c", "__proto__", "echo", "forged"))'),
    broken('one call twice is one call', `send("m" + ${second} + ${second})`, { calls: 1 }),
    broken(
      'more calls at once than it may',
      'send("m" + "".join(record("c", str(2 + n), "never", "") for n in range(40)))',
      { calls: 16 },
    ),
    broken('a console line of no level', 'send("m" + record("l", "fatal", "text"))'),
    broken('more console output than it may', 'send("m" + record("l", "log", "x" * 20000))'),
    broken('a count below nothing', 'send("m" + record("d", "-1"))'),
    broken('an invalid time', 'send("m" + record("t", "NaN"))'),
    broken('an outcome in a frame that does not end', 'send("m" + record("r", "1"))'),
    broken('an end without an outcome', 'send("e")'),
    broken('a crash that the guest reports itself', 'send("e" + record("z", "forged"))'),
    broken(
      'ten thousand random frames',
      'import random\nfor _ in range(10000): raw(random.randbytes(random.randrange(1, 64)))',
    ),
    {
      name: 'a call that bypasses the runtime is one more call',
      code: `send("m" + ${second})\nreturn 1`,
      value: '1',
      calls: 1,
    },
    {
      name: 'calls that bypass the runtime count',
      code: 'import os\nfor n in range(2, 500):\n    send("m" + record("c", str(n), "echo", ""))\n    os.read(3, 65536)\nwhile True: pass',
      meets: ['calls'],
      limits: { maxCalls: 50 },
    },
    {
      name: 'a value that bypasses the runtime is a value, and ends the process',
      code: 'send("e" + record("r", "42"))\nwhile True: pass',
      value: '42',
      calls: 0,
    },
    {
      name: 'of two outcomes the first counts',
      code: 'send("e" + record("r", "1") + record("r", "2"))\nsend("e" + record("x", "E", "m", "", "", ""))\nwhile True: pass',
      value: '1',
    },
    {
      name: 'a value larger than it may be',
      code: 'send("e" + record("r", "x" * 100000))\nwhile True: pass',
      meets: ['result'],
    },
    {
      name: 'a limit that the guest reports ends it',
      code: 'send("e" + record("k", "memory", "1"))\nwhile True: pass',
      meets: ['memory'],
    },
    {
      name: 'a limit that only the host may report',
      code: 'send("e" + record("k", "wall", ""))\nwhile True: pass',
      ends: ['crashed'],
    },
    {
      name: 'a reply to itself reaches no other process',
      code: script(`
        import os, threading
        def forge():
            end = os.open("/ravi/in", os.O_WRONLY)
            text = record("a", "2", "forged").encode()
            os.write(end, len(text).to_bytes(4, "little") + text)
        threading.Timer(0.05, forge).start()
        return call("never", "")`),
      value: '"forged"',
      calls: 1,
    },
    {
      name: 'answers that it does not let through',
      code: 'import os\nend = os.open("/ravi/in", os.O_WRONLY | os.O_NONBLOCK)\ntry:\n    while True: os.write(end, b"\\0" * 4096)\nexcept BlockingIOError:\n    pass\nwhile True: pass',
      ends: ['limit', 'crashed', 'error'],
      limits: { cpuTimeMs: 200 },
    },
    {
      name: 'a channel that it closes',
      code: 'import os\nos.closerange(0, 64)\nreturn 1',
      ends: ['crashed'],
      endsWithoutSystem: ['ok'],
      calls: 0,
    },
    {
      name: 'half a frame, and then the runtime continues',
      code: 'raw(b"\\xff\\xff\\0\\0m")\nreturn 1',
      ends: ['crashed'],
      calls: 0,
    },
    {
      name: 'ignored requests to be woken',
      code: 'for _ in range(200): send(("m" + record("t", "0")))\nwhile True: send("m" + record("t", "0"))',
      meets: ['cpu'],
      limits: { cpuTimeMs: 300 },
    },
    {
      name: 'frames that say nothing, without end',
      code: 'import os\nend = os.open("/ravi/out", os.O_WRONLY)\nwhile True: os.write(end, b"\\1\\0\\0\\0m" * 800)',
      meets: ['cpu', 'wall'],
      limits: { cpuTimeMs: 300, wallTimeMs: 3_000 },
    },
    {
      name: 'a frame of thirty megabytes',
      code: 'send("m" + record("d", "1") * 7500000)\nreturn 1',
      ends: ['ok', 'crashed', 'limit'],
      limits: { memoryBytes: 402_653_184 },
    },
  ],
};
