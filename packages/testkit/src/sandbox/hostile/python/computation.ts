import type { HostileCase, HostileClass } from '../hostile-case.ts';

const endless = (code: string): HostileCase => ({
  name: code.replaceAll('\n', '; '),
  code,
  meets: ['cpu'],
  limits: { cpuTimeMs: 150, memoryBytes: 268_435_456 },
});

/** Scripts that never give the processor back. */
export const computation: HostileClass = {
  name: 'endless loops, bad regular expressions and big numbers',
  kind: 'resource',
  cases: [
    endless('while True: pass'),
    endless('call("echo", "")\nwhile True: pass'),
    endless('while True:\n    try:\n        while True: pass\n    except BaseException: pass'),
    endless('try:\n    while True: pass\nfinally:\n    while True: pass'),
    endless('import asyncio\nwhile True: await asyncio.sleep(0)'),
    endless(
      'import asyncio\nasync def again():\n    asyncio.create_task(again())\nawait again()\nawait asyncio.sleep(1e6)',
    ),
    endless(
      'import threading\nthread = threading.Thread(target=lambda: exec("while True: pass"))\nthread.start()\nthread.join()',
    ),
    endless('sum(range(10 ** 12))'),
    endless('import itertools\nany(itertools.repeat(0))'),
    endless('import re\nre.match("(a+)+$", "a" * 40 + "b")'),
    endless('import re\nre.match("(a|aa)+$", "a" * 60 + "b")'),
    endless('import re\nre.search("(.*)*(.*)*(.*)*x", "a" * 60)'),
    endless('import re\nre.sub("(a*)*b", "", "a" * 60)'),
    endless('pow(3, 10 ** 9)'),
    endless('import math\nmath.factorial(10 ** 7)'),
    endless('import sys\nsys.set_int_max_str_digits(0)\nstr(7 ** (10 ** 7))'),
    endless('import hashlib\nhashlib.pbkdf2_hmac("sha256", b"", b"", 10 ** 9)'),
    endless('sorted(range(10 ** 6), key=lambda n: [n % k for k in range(1, 10 ** 4)])'),
    endless('class Endless:\n    def __json__(self):\n        while True: pass\nreturn Endless()'),
    endless('class Endless(Exception):\n    def __str__(self):\n        while True: pass\nraise Endless'),
  ],
};
