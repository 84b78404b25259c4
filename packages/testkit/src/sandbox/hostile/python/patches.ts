import type { HostileCase, HostileClass } from '../hostile-case.ts';
import { script } from './script.ts';

const any = ['ok', 'error', 'crashed', 'limit', 'deadlock'] as const;

/** Replaces a part of the interpreter, then continues: the host receives at most one call. */
const patched = (code: string): HostileCase => ({
  name: code.replaceAll('\n', '; '),
  code: `${code}\nreturn {"back": call("echo", "text")}`,
  ends: any,
  limits: { cpuTimeMs: 500, wallTimeMs: 2_000 },
});

/** Parts that the runtime does not depend on: replacing them changes nothing. */
const harmless = (code: string): HostileCase => ({
  ...patched(code),
  ends: ['ok'],
  value: '{"back":"text"}',
  calls: 1,
});

/** A text that says something else whenever it is asked: it can break its own run, and be no more than calls of its own. */
const lying = (name: string, body: string): HostileCase => ({
  name,
  code: script(`
    class Text(str):
        ${body}
    return call("echo", Text("text"))`),
  ends: any,
  limits: { cpuTimeMs: 500, wallTimeMs: 2_000 },
});

/** A script that turns on its own interpreter. */
export const patches: HostileClass = {
  name: 'patched built-ins and modules',
  kind: 'escape',
  cases: [
    harmless('import builtins\nbuiltins.print = None'),
    harmless('import builtins\nbuiltins.open = builtins.__import__ = None'),
    harmless('import sys\nsys.path.clear()\nsys.meta_path.clear()'),
    harmless('import sys\nsys.excepthook = sys.unraisablehook = None'),
    harmless('import sys\nsys.stdin = sys.__stdout__ = sys.__stderr__ = None'),
    harmless('import gc\ngc.disable()\ngc.callbacks.append(lambda *all: 1 / 0)'),
    harmless('import atexit\natexit.register(lambda: 1 / 0)'),
    harmless('import os\nos.environ.clear()\nos.chdir("/")'),
    patched('import builtins\nbuiltins.len = lambda thing: 0'),
    patched('import builtins\nbuiltins.isinstance = lambda thing, kind: True'),
    patched('import builtins\nbuiltins.str = builtins.int = builtins.bytes = lambda *all: "forged"'),
    patched('import builtins\nbuiltins.__dict__.clear()'),
    patched('import json\njson.dumps = lambda *all, **named: \'"forged"\''),
    patched('import json\njson.dumps = lambda *all, **named: "not JSON at all"'),
    patched('import json\njson.dumps = lambda *all, **named: 42'),
    patched('import os\nos.write = lambda end, data: len(data)'),
    patched('import os\nos.read = lambda end, size: b"\\0" * size'),
    patched('import os\nos._exit = lambda code: None'),
    patched('import sys\nsys.modules.clear()'),
    patched('import sys\nsys.stdout = sys.stderr = None'),
    patched('import sys\nsys.stdout.output.left = 10 ** 9\nfor _ in range(10 ** 4): print("x" * 100)'),
    patched('import sys\nsys.settrace(lambda frame, event, argument: frame.f_locals.clear())'),
    patched('import sys\nsys.setprofile(lambda *all: 1 / 0)'),
    patched('import threading\nthreading.Condition = threading.RLock = None'),
    patched('import asyncio\nasyncio._get_running_loop = lambda: object()'),
    patched(
      'import gc\nfor thing in gc.get_objects():\n    if type(thing).__name__ == "Calls": thing.max_in_flight = 10 ** 6\nimport asyncio\nawait asyncio.gather(*[call("never", "") for _ in range(100)])',
    ),
    patched('import gc\nfor thing in gc.get_objects():\n    if type(thing).__name__ == "Calls": thing.made = 41'),
    patched('import gc\nfor thing in gc.get_objects():\n    if type(thing).__name__ == "Channel": thing.writing = 1'),
    patched('type(call).__call__.__globals__["host"].channel.send = lambda text: None'),
    patched('import ctypes\nctypes.memset(id(call) + 8, 0, 8)'),
    patched('import types\ncode = (lambda: 0).__code__\ntypes.FunctionType(code.replace(co_code=b"\\xff" * 64), {})()'),
    lying('a text that encodes as something else', 'def encode(self, *all): return b"\\xff" * 9'),
    lying('a text of another length', 'def __len__(self): return 10 ** 9'),
    lying('a text that formats as another record', 'def __format__(self, how): return "0:c1:31:x1:y"'),
    lying(
      'a text that says it is plain',
      'def isascii(self): return True\n        def encode(self, *all): return "ä".encode()',
    ),
    lying('a text whose methods end the run', 'def encode(self, *all): raise SystemExit'),
  ],
};
