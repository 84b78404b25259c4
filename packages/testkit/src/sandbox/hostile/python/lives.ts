import type { HostileCase, HostileClass } from '../hostile-case.ts';
import { script } from './script.ts';

const lived = (
  name: string,
  code: string,
  ends: HostileCase['ends'],
  extra: Partial<HostileCase> = {},
): HostileCase => ({
  name,
  code: script(code),
  ...(ends === undefined ? {} : { ends }),
  limits: { cpuTimeMs: 500, wallTimeMs: 2_000 },
  ...extra,
});

/** Ends, signals, threads and children: with the run everything ends that it has started. */
export const lives: HostileClass = {
  name: 'ends, signals, threads and children',
  kind: 'resource',
  cases: [
    lived('an exit without a message', 'import os\nos._exit(0)', ['crashed']),
    lived('an exit with a code', 'import os\nos._exit(137)', ['crashed', 'limit']),
    lived('a regular exit', 'import sys\nsys.exit()', ['ok']),
    lived('a regular exit with a message', 'import sys\nsys.exit("no")', ['error']),
    lived('an abort', 'import os\nos.abort()', ['crashed']),
    lived('a fault', 'import ctypes\nctypes.string_at(0)', ['crashed'], { endsWithoutSystem: ['error'] }),
    lived(
      'another program in its place',
      'import os, sys\nos.execv(sys.executable, ["python3", "-c", "while True: pass"])',
      ['limit', 'crashed'],
    ),
    lived('a kill of itself', 'import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\nreturn 1', [
      'ok',
      'crashed',
      'limit',
    ]),
    lived(
      'every signal caught',
      `
      import signal
      for number in range(1, 65):
          tried(lambda: signal.signal(number, lambda *all: None))
      while True: pass`,
      undefined,
      { meets: ['cpu'], limits: { cpuTimeMs: 500 } },
    ),
    lived(
      'every signal blocked, and a long sleep',
      'import signal, time\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\ntime.sleep(1e6)',
      undefined,
      { meets: ['wall'], limits: { wallTimeMs: 500 } },
    ),
    lived(
      'alarms in the midst of calls',
      `
      import signal
      def alarm(*all): raise ValueError("alarm")
      signal.signal(signal.SIGALRM, alarm)
      signal.setitimer(signal.ITIMER_REAL, 0.001, 0.0003)
      for _ in range(300):
          tried(lambda: call("echo", "x" * 1000))
      return 1`,
      ['ok', 'error', 'crashed', 'limit'],
    ),
    lived(
      'threads without end',
      'import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(1e6,)).start()',
      ['error', 'limit', 'crashed'],
    ),
    lived(
      'threads that call at once',
      'import threading\nfor _ in range(20):\n    threading.Thread(target=lambda: [call("echo", "x") for _ in range(10)]).start()\nreturn 1',
      ['ok', 'error'],
    ),
    lived(
      'a thread that continues when the script is over',
      'import threading\ndef go():\n    while True: tried(lambda: call("echo", ""))\nthreading.Thread(target=go, daemon=True).start()\nreturn 1',
      ['ok', 'crashed', 'limit'],
    ),
    lived(
      'threads that switch all the time',
      'import sys, threading\nsys.setswitchinterval(1e-6)\nfor _ in range(8):\n    threading.Thread(target=lambda: [print("x", flush=True) for _ in range(500)]).start()\nreturn call("echo", "text")',
      ['ok', 'crashed', 'limit'],
    ),
    lived('recursion', 'def again(): again()\nagain()', ['error']),
    lived('recursion beyond every stack', 'import sys\nsys.setrecursionlimit(10 ** 9)\ndef again(): again()\nagain()', [
      'error',
      'crashed',
      'limit',
    ]),
    lived('recursion in what is read', 'import json\nreturn json.loads("[" * 10 ** 5)', ['error', 'crashed']),
    lived('recursion in what is compiled', 'return eval("(" * 10 ** 4 + ")" * 10 ** 4)', ['error', 'crashed', 'limit']),
    lived('a fork bomb', 'import os\nwhile True: os.fork()', ['error', 'limit', 'crashed']),
    lived('a child that returns as well as its parent', 'import os\nos.fork()\nreturn 1', ['ok', 'crashed']),
    lived(
      'a child that stays',
      'import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(1e6)\nreturn 1',
      ['ok'],
      { value: '1' },
    ),
    lived(
      'a child that calls when the script is over',
      'import os, time\nif os.fork() == 0:\n    time.sleep(0.2)\n    send("m" + record("c", "2", "echo", "late"))\n    os._exit(0)\nreturn 1',
      ['ok'],
      { value: '1', calls: 0 },
    ),
    lived(
      'children that compute while it waits',
      'import os, time\nfor _ in range(4):\n    if os.fork() == 0:\n        while True: pass\ntime.sleep(1e6)',
      undefined,
      { meets: ['wall'], limits: { wallTimeMs: 1_000 } },
    ),
    lived(
      'a child by multiprocessing',
      'import multiprocessing\nprocess = multiprocessing.get_context("fork").Process(target=print)\nprocess.start()\nprocess.join()\nreturn process.exitcode',
      ['ok', 'error', 'crashed', 'deadlock'],
    ),
    lived(
      'the end of every other process',
      'import os\nfor name in os.listdir("/proc"):\n    if name.isdigit() and int(name) != os.getpid(): os.kill(int(name), 9)\nreturn 1',
      ['ok'],
      { value: '1' },
    ),
    lived(
      'objects that compute when they are deleted',
      'class Last:\n    def __del__(self):\n        while True: pass\nkept = Last()\nreturn 1',
      ['ok', 'limit'],
    ),
    lived('an input that never arrives', 'return input()', ['error', 'limit', 'crashed'], {
      limits: { wallTimeMs: 500 },
    }),
  ],
};
